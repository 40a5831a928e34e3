#!/usr/bin/env python3
"""hear.py --model DIR --rows rows.jsonl found.json: word errors of the encoders that `search.py --json` has found.

DIR is a model in CTranslate2's format with float weights. A copy of it in which the weights of what is gone are zero
computes what the smaller encoder would: `whisper-npu transcribe --manifest` hears the rows with it. Heads stay that have
the largest |out * value * diag(gamma)|, hidden columns the largest |row of up * diag(gamma)| * |column of down|
(Frobenius norms), layers far apart, the larger first. Nothing is trained again. Left out are encoders with pooling or
int8, which no such copy is.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from ct2_weights import Ct2File  # noqa: E402

HEAD = 64  # columns


def all_but_largest(sizes, kept):
    return numpy.argsort(-sizes, kind="stable")[kept:]


def cut_layer(variables, name, heads, hidden):
    """Zeroes what one layer loses; a layer that is gone has neither heads nor hidden columns nor biases."""
    gamma = variables[f"{name}/self_attention/layer_norm/gamma"].astype("f8")
    value = numpy.split(variables[f"{name}/self_attention/linear_0/weight"].astype("f8"), 3)[2] * gamma
    out = variables[f"{name}/self_attention/linear_1/weight"]
    sizes = numpy.array([numpy.linalg.norm(out[:, i:i + HEAD].astype("f8") @ value[i:i + HEAD])
                         for i in range(0, out.shape[1], HEAD)])
    for head in all_but_largest(sizes, heads):
        out[:, HEAD * head:HEAD * (head + 1)] = 0
    up = variables[f"{name}/ffn/linear_0/weight"].astype("f8") * variables[f"{name}/ffn/layer_norm/gamma"].astype("f8")
    down = variables[f"{name}/ffn/linear_1/weight"]
    sizes = numpy.linalg.norm(up, axis=1) * numpy.linalg.norm(down.astype("f8"), axis=0)
    down[:, all_but_largest(sizes, hidden)] = 0
    if heads == 0:
        variables[f"{name}/self_attention/linear_1/bias"][:] = 0
        variables[f"{name}/ffn/linear_1/bias"][:] = 0


def write_cut(model, layers, folder):
    """A copy of the model with these layers, [(heads, hidden)], the larger first."""
    for path in model.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    file = Ct2File(folder / "model.bin")
    kinds = {str(v.dtype) for name, v in file.variables.items() if name.startswith("encoder/layer_") and v.ndim == 2}
    if not kinds <= {"float16", "float32"}:
        sys.exit(f"{model}: expected weights in float16 or float32, found {', '.join(sorted(kinds))}")
    n_layers = len({name.split("/")[1] for name in file.variables if name.startswith("encoder/layer_") and "/ffn/" in name})
    places = [round(i * (n_layers - 1) / max(1, len(layers) - 1)) for i in range(len(layers))]
    for place in range(n_layers):
        cut_layer(file.variables, f"encoder/layer_{place}", *(layers[places.index(place)] if place in places else (0, 0)))
    (folder / "model.bin").write_bytes(file.data)


def word_errors(program, model, rows, folder):
    subprocess.run([program, "transcribe", "--model", model, "--device", "cpu", "--temperature", "0", "--beam-size", "1",
                    "--manifest", rows, "--output", folder / "results.jsonl", "--summary", folder / "summary.json", "--quiet"],
                   check=True)
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))["wer"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="whisper-npu")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, required=True, help="recordings with their texts: app/jobs/rows/row.schema.json")
    parser.add_argument("found", type=pathlib.Path)
    args = parser.parse_args()
    found = json.loads(args.found.read_text(encoding="utf-8"))
    for member in [None, *found["front"]]:
        layers = member and [(layer["heads"], layer["hidden"]) for layer in member["layers"]]
        text = "whole" if member is None else f"{member['simulated_ms']:.2f} ms, {100 * member['kept']:.1f} % kept"
        if member and (member["pooling"] != 1 or any(layer["precision"] != "bf16" for layer in member["layers"])):
            print(f"{text}: left out, with pooling or int8")
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder, model = pathlib.Path(folder), args.model
            if layers:
                model = folder / "model"
                model.mkdir()
                write_cut(args.model, layers, model)
            errors = word_errors(args.program, model, args.rows, folder)
        if errors is None:
            sys.exit(f"{args.rows}: expected rows with a text, found none")
        print(f"{text}: {100 * errors['rate']:.1f} % of {errors['words']} words wrong, measured on the CPU", flush=True)


if __name__ == "__main__":
    main()
