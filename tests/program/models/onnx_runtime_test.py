"""onnx_runtime_test.py FOLDER STAGES [--fixed N]: the graphs in FOLDER, by onnx's checker and onnxruntime,
against what write_stages wrote to STAGES. Exit code 1 and a line for what differs.

Run by onnx_runtime_test.sh, in the environment of tests/onnx_env.sh."""
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

# Of the largest value: two programs add in different orders, through all of a model's layers.
MOST = 1e-4
GRAPHS = ("encoder_model", "decoder_model", "decoder_with_past_model")


class Failure(Exception):
    pass


def require(is_good, what):
    if not is_good:
        raise Failure(what)


def require_near(found, expected, what):
    found, expected = np.asarray(found), np.asarray(expected)
    require(found.shape == expected.shape, f"{what}: {found.shape} instead of {expected.shape}")
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"  {what}: {difference:.1e} of the largest value")
    require(difference < MOST, f"{what}: differs by {difference:.1e}")


def check(path):
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(str(path), load_external_data=False)
    domains = {node.domain for node in model.graph.node} | {o.domain for o in model.opset_import}
    require(domains == {""}, f"{path.name}: operators of {domains}")
    require(model.producer_name == "whisper-npu" and model.doc_string and all(
        node.name for node in model.graph.node), f"{path.name}: nameless")
    print(f"  {path.name}: checked, {len(model.graph.node)} nodes, IR {model.ir_version}, "
          f"opset {model.opset_import[0].version}")


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Decoder:
    def __init__(self, folder, states):
        self.first = open_session(folder / "decoder_model.onnx")
        self.later = open_session(folder / "decoder_with_past_model.onnx")
        self.states = states
        self.past = {}

    def step(self, tokens):
        ids = np.tile(np.array(tokens, np.int64), (len(self.states), 1))
        if not self.past:
            session, feed = self.first, {"input_ids": ids, "encoder_hidden_states": self.states}
        else:
            session, feed = self.later, {"input_ids": ids, **self.past}
        names = [output.name for output in session.get_outputs()]
        found = dict(zip(names, session.run(names, feed)))
        self.past.update({name.replace("present", "past_key_values"): value
                          for name, value in found.items() if name.startswith("present")})
        return found["logits"]


def check_tokens(folder, states, expected):
    """Plain greedy decoding, a token at a time; and all of it in two steps, the second with a past."""
    decoder = Decoder(folder, states)
    tokens, largest, special = expected["prompt"], [], []
    steps = []
    found = []
    for _ in expected["tokens"]:
        logits = decoder.step(tokens)[:, -1]
        steps.append(logits)
        largest.append(logits[0].max())
        special.append(logits[0, -len(expected["special"][0]):])
        tokens = [int(logits[0].argmax())]
        found += tokens
    require(found == expected["tokens"], f"tokens: {found} instead of {expected['tokens']}")
    print(f"  {len(found)} greedy tokens are ours")
    require_near(largest, expected["largest"], "largest logits")
    require_near(special, expected["special"], "logits of special tokens")
    at_once = Decoder(folder, states)
    prompt = expected["prompt"]
    first = at_once.step(prompt)[:, -1:]
    rest = at_once.step(found[:-1])
    require_near(np.concatenate([first, rest], 1), np.stack(steps, 1), "many tokens with a past")


def check_encoder(folder, stages, n_windows):
    session = open_session(folder / "encoder_model.onnx")
    n_mels = session.get_inputs()[0].shape[1]
    width = session.get_outputs()[0].shape[2]
    mel = np.fromfile(stages / "mel.f32", np.float32).reshape(1, n_mels, -1)
    expected = np.fromfile(stages / "states.f32", np.float32).reshape(1, -1, width)
    # Other windows beside ours, which must not see each other.
    windows = np.concatenate([mel] + [np.roll(mel, 100 * i, 2) for i in range(1, n_windows)])
    states = session.run(None, {"input_features": windows})[0]
    require_near(states[:1], expected, f"states of one window among {n_windows}")
    return states


def main():
    folder, stages = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    fixed = int(sys.argv[4]) if len(sys.argv) > 3 else None
    print(f"{folder.name}: onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")
    try:
        for name in GRAPHS:
            check(folder / f"{name}.onnx")
        expected = json.loads((stages / "tokens.json").read_text())
        for n_windows in [fixed] if fixed else [1, 3]:
            states = check_encoder(folder, stages, n_windows)
            check_tokens(folder, states, expected)
        if fixed:
            shape = open_session(folder / "encoder_model.onnx").get_inputs()[0].shape
            require(shape[0] == fixed, f"a batch of {shape[0]}")
    except Failure as failure:
        print(f"FAILED: {folder.name}: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
