"""Makes the reference data of the tests anew, from openai-whisper and the converters of others.

    make_reference.py [--into FOLDER] [PART...]   writes it, to this folder unless told otherwise
    make_reference.py --check [PART...]           makes it elsewhere, and says what differs from here

README.md says what it needs and what the parts are."""
import argparse
import pathlib
import sys
import tempfile

import torch

from reference import (
    jfk_stages, nano_models, normalizer_pairs, onnx_encoders, sounds, tokenizer_vectors, transcripts)
from reference.comparison import differences

HERE = pathlib.Path(__file__).resolve().parent
# In the order in which they are made: transcripts are of the sounds too.
PARTS = {
    "tokenizer": tokenizer_vectors.make,
    "normalizer": normalizer_pairs.make,
    "sounds": sounds.make,
    "jfk": jfk_stages.make,
    "nano": nano_models.make,
    "onnx": onnx_encoders.make,
    "transcripts": transcripts.make,
}


def make(into, parts):
    for name in parts:
        print(name, flush=True)
        folder = into / name
        folder.mkdir(parents=True, exist_ok=True)
        PARTS[name](HERE, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=pathlib.Path, default=HERE, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    parts = [name for name in PARTS if not options.parts or name in options.parts]
    # One thread adds in one order.
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    if not options.check:
        make(options.into, parts)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        make(pathlib.Path(folder), parts)
        found = [line for name in parts
                 for line in differences(HERE / name, pathlib.Path(folder) / name)]
    print("\n".join(found) or "as committed, byte for byte")
    return 1 if any(not line.endswith("within tolerance") for line in found) else 0


if __name__ == "__main__":
    sys.exit(main())
