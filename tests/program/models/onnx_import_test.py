#!/usr/bin/env python3
"""models/onnx/import_onnx.py: what `models export` writes and what torch's exporters write is imported bit for bit; a
graph that computes something else, or that means harm, is refused.
onnx_import_test.py PROGRAM WRITE_NANO_MODEL SOURCE, in the environment of tests/onnx_env.sh."""
import importlib.util
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROGRAM, WRITE_NANO_MODEL, SOURCE = sys.argv[1:4]
SCRIPT = Path(SOURCE) / "models/onnx/import_onnx.py"
sys.dont_write_bytecode = True


def enter_environment():
    found = subprocess.run(["bash", f"{SOURCE}/tests/onnx_env.sh", "--have"], stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        print("SKIP: onnx is not set up (bash tests/onnx_env.sh)")
        sys.exit(77)
    python = found.stdout.strip()
    if sys.executable != python:
        os.execv(python, [python, *sys.argv])


enter_environment()
import numpy as np  # noqa: E402
import onnx  # noqa: E402

spec = importlib.util.spec_from_file_location("import_onnx", SCRIPT)
import_onnx = importlib.util.module_from_spec(spec)
spec.loader.exec_module(import_onnx)

ENCODER, DATA = "encoder_model.onnx", "encoder_model.onnx_data"
TORCH_CONFIG = {"d_model": 8, "encoder_attention_heads": 2, "encoder_layers": 2, "max_source_positions": 1500,
                "num_mel_bins": 8}


def check(is_good, what):
    if not is_good:
        sys.exit(f"onnx_import: {what}")


def export(model, folder, *options):
    subprocess.run([PROGRAM, "models", "export", "--onnx", *options, model, "-o", folder], check=True, stdout=subprocess.PIPE)
    return folder


def run_import(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def refusal(path, config):
    """Message of the import of an encoder; empty: it was accepted."""
    try:
        import_onnx.Encoder(import_onnx.Graph(path), config)
    except import_onnx.ModelError as error:
        return str(error)
    return ""


def check_refused(path, config, said):
    found = refusal(path, config)
    check(said in found and str(path) in found, f"{path}: expected '{said}', found '{found}'")


def test_export_comes_back(folder, first):
    """Exported, imported and exported again: the same bits. A nano model's values are fp16."""
    for options in ([], ["--external-data"], ["--weights", "fp16", "--batch", "2"], ["--weights", "fp16", "--external-data"]):
        exported = export(folder / "model", folder / "exported", *options)
        done = run_import(exported / ENCODER, "--decoder", exported, "-o", folder / "imported")
        check(done.returncode == 0 and "model.safetensors: " in done.stdout, f"{options}: {done.stderr}")
        again = export(folder / "imported", folder / "again")
        for name in ("encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx"):
            # The graph tells the source's format, whose names have as many letters.
            expected = (first / name).read_bytes().replace(b"ctranslate2", b"safetensors")
            check((again / name).read_bytes() == expected, f"{options}: {name} is another")
        for each in (exported, folder / "imported", again):
            shutil.rmtree(each)


def test_torch_exporters(folder):
    """weight_values() of data/reference/onnx_encoders.py, whatever exporters call and exchange."""
    with tarfile.open(Path(SOURCE) / "tests/data/onnx/onnx.tar.xz") as archive:
        archive.extractall(folder / "torch")
    paths = sorted((folder / "torch").glob("*.onnx"))
    check(len(paths) == 6, f"expected 6 graphs, found {paths}")
    for path in paths:
        tensors = import_onnx.Encoder(import_onnx.Graph(path), TORCH_CONFIG).tensors
        check(len(tensors) == 7 + 15 * 2, f"{path}: {len(tensors)} tensors")
        for name, array in tensors.items():
            salt = sum(name.removeprefix("model.encoder.").encode())
            expected = ((np.arange(array.size) * 31 + salt) % 257 - 128) / 512
            check(np.array_equal(np.ravel(array), expected.astype(np.float32)), f"{path}: {name}")


def test_decoder_is_of_the_other_model(folder, first):
    decoder = shutil.copytree(first, folder / "decoder")
    model = onnx.load(str(decoder / "decoder_model.onnx"))
    tensor = next(each for each in model.graph.initializer if each.name == "model.decoder.layer_norm.bias")
    tensor.raw_data = np.full(tuple(tensor.dims), 0.25, np.float32).tobytes()
    onnx.save(model, str(decoder / "decoder_model.onnx"))
    done = run_import(first / ENCODER, "--decoder", decoder, "-o", folder / "mixed")
    check(done.returncode == 0, done.stderr)
    mixed = export(folder / "mixed", folder / "mixed_again")
    values = {each.name: each.raw_data for each in onnx.load(str(mixed / "decoder_model.onnx")).graph.initializer}
    check(values[tensor.name] == tensor.raw_data, "the decoder is not that of --decoder")


def replaced(whole, old, new):
    """With every `old` made `new`, which has as many bytes, so that no length changes."""
    check(old in whole and len(old) == len(new), f"nothing to replace: {old}")
    return whole.replace(old, new)


def test_other_computations(path, whole, config):
    def real(value):
        return struct.pack("<f", value)

    check(refusal(path, config) == "", "the whole graph is refused")
    for old, new, said in ((b"Erf", b"Exp", "fc1: GELU"), (b"Softmax", b"Hardmax", "expected Softmax"),
                           (b"\x22\x04Conv", b"\x22\x04Clip", "expected Conv"),
                           (b"\x22\x12LayerNormalization", b"\x22\x12LayerNormalizatioN", "encoder.layer_norm"),
                           (real(0.5), real(0.4), "GELU"), (real(1e-5), real(1e-3), "epsilon 1e-5"),
                           (real(2 ** 0.5), real(1.5142), "GELU")):
        path.write_bytes(replaced(whole, old, new))
        check_refused(path, config, said)
    path.write_bytes(whole)
    layers = config["encoder_layers"]
    for change, said in (({"encoder_layers": layers - 1}, "expected"), ({"encoder_layers": layers + 1}, "expected"),
                         ({"encoder_attention_heads": 2 * config["encoder_attention_heads"]}, "heads"),
                         ({"num_mel_bins": 128}, "conv1.weight")):
        check_refused(path, {**config, **change}, said)


def test_order_of_nodes(path, whole, config):
    made, read = b"encoder.conv1/Erf_2_output", b"encoder.conv1/Div_1_output"
    second = whole.index(read, whole.index(read) + 1)
    path.write_bytes(whole[:second] + made + whole[second + len(made):])  # the first Erf reads its own result
    check_refused(path, config, "expected nodes behind what they read")
    path.write_bytes(replaced(whole, made, read))
    check_refused(path, config, "expected each value once")
    path.write_bytes(whole)


def test_weights_outside(folder, path, whole, config):
    data = path.parent / DATA
    for location in (b"../coder_model.onnx_data", b"/ncoder_model.onnx_data/", b"a/./../model.onnx_data_x"):
        path.write_bytes(replaced(whole, DATA.encode(), location[:len(DATA)]))
        check_refused(path, config, "expected a file in the model's folder")
    path.write_bytes(whole)
    kept = data.rename(folder / "elsewhere")
    check_refused(path, config, DATA)
    data.symlink_to(kept)
    check_refused(path, config, "found a link out of it")
    data.unlink()
    data.write_bytes(kept.read_bytes()[:-8192])
    check_refused(path, config, "bytes at")
    # A hub's cache, whose files are links to others in one folder.
    blobs, snapshot = folder / "hub/blobs", folder / "hub/snapshots/main"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    shutil.copyfile(path, blobs / "1")
    kept.rename(blobs / "2")
    (snapshot / ENCODER).symlink_to("../../blobs/1")
    (snapshot / DATA).symlink_to("../../blobs/2")
    check(refusal(snapshot / ENCODER, config) == "", "links within a hub's cache")


def test_damage(path, whole, config):
    """Whatever bytes are wrong, a graph is taken or refused in our words."""
    rng = random.Random(1)
    n_refused, tries = 0, 400
    for i in range(tries):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged[:rng.randrange(len(damaged))] if i % 4 == 0 else damaged)
        n_refused += refusal(path, config) != ""
    check(n_refused > tries / 4, f"{n_refused} of {tries} refused")


def test_usage(folder, first):
    for code, said, arguments in (
            (2, "required", [first / ENCODER]),
            (3, "decoder_model.onnx: ", [first / "decoder_model.onnx", "--decoder", first, "-o", folder / "bad"]),
            (3, "none.onnx", [folder / "none.onnx", "--decoder", first, "-o", folder / "bad"]),
            (3, "config.json", [first / ENCODER, "--decoder", folder, "-o", folder / "bad"]),
            (6, "is there", [first / ENCODER, "--decoder", first, "-o", first])):
        done = run_import(*arguments)
        check(done.returncode == code and said in done.stderr, f"{arguments}: {done.returncode}: {done.stderr}")
    check(not (folder / "bad").exists(), "a refused import left a folder")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([WRITE_NANO_MODEL, folder], check=True)
        first = export(folder / "model", folder / "first")
        test_export_comes_back(folder, first)
        test_torch_exporters(folder)
        test_decoder_is_of_the_other_model(folder, first)
        test_usage(folder, first)
        beside = export(folder / "model", folder / "beside", "--external-data")
        path, config = beside / ENCODER, json.loads((beside / "config.json").read_text())
        whole = path.read_bytes()
        test_other_computations(path, whole, config)
        test_order_of_nodes(path, whole, config)
        test_damage(path, whole, config)
        path.write_bytes(whole)
        test_weights_outside(folder, path, whole, config)


main()
