#!/usr/bin/env python3
"""Writes a CTranslate2 Whisper model as the ggml file that whisper.cpp reads, so that peers run the
same weights:  ct2_to_ggml.py MODEL_FOLDER OUT.bin [--type f16|q8_0]

Layout of the file, little-endian (whisper.cpp, whisper_model_load): u32 magic, i32 dims[11], mel
filters (i32 n_mels, i32 201, f32 values), i32 count of tokens, each i32 length and bytes, then
tensors: i32 rank, i32 name length, i32 type, i32 dims innermost first, name, data.
"""

import argparse
import struct

import numpy as np

from ct2_weights import WhisperWeights, read_vocabulary

_MAGIC = 0x67676D6C
_DIMS = (
    "n_vocab n_audio_ctx n_audio_state n_audio_head n_audio_layer "
    "n_text_ctx n_text_state n_text_head n_text_layer n_mels"
).split()
# ggml.h: enum ggml_type; enum ggml_ftype plus 1000 x GGML_QNT_VERSION (2).
_F32, _F16, _Q8_0 = 0, 1, 8
_FILE_TYPE = {"f16": 1, "q8_0": 2007}
_Q8_0_BLOCK = 32


def mel_filters(n_mels):
    """[n_mels, 201] f32: triangles on the Slaney mel scale, area 1, for 400 points at 16 kHz.
    Linear below 1 kHz (200/3 Hz a mel), logarithmic above (27 mels for a factor 6.4)."""
    top_mel = 15 + 27 * np.log(8000 / 1000) / np.log(6.4)
    mels = np.linspace(0, top_mel, n_mels + 2)
    hertz = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(np.log(6.4) * (mels - 15) / 27))
    bins = np.linspace(0, 8000, 201)
    rise = (bins - hertz[:-2, None]) / (hertz[1:-1] - hertz[:-2])[:, None]
    fall = (hertz[2:, None] - bins) / (hertz[2:] - hertz[1:-1])[:, None]
    triangles = np.maximum(0, np.minimum(rise, fall))
    return (triangles * (2 / (hertz[2:] - hertz[:-2]))[:, None]).astype("<f4")


def token_bytes(tokens):
    """GPT-2's printable alphabet back to bytes: the 188 printable characters of Latin-1 stand for
    themselves, the other 68 bytes, in order, for U+0100 and on (openai/gpt-2 encoder.py)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    alphabet.update({chr(256 + i): byte for i, byte in enumerate(others)})
    return [bytes(alphabet[char] for char in token) for token in tokens]


def quantize_q8_0(values):
    """Blocks of 32 values as f16 scale and 32 i8 (ggml-common.h: block_q8_0)."""
    blocks = values.astype("<f4").reshape(-1, _Q8_0_BLOCK)
    scales = np.abs(blocks).max(axis=1, keepdims=True) / 127
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales > 0)
    records = np.empty(len(blocks), dtype=[("d", "<f2"), ("qs", "i1", _Q8_0_BLOCK)])
    records["d"] = scales[:, 0]
    records["qs"] = np.rint(blocks * inverse)
    return records


def encode(name, values, file_type):
    """Type id and data: whisper.cpp wants vectors and positions in f32, convolutions in f16."""
    if values.ndim == 1 or name.endswith("positional_embedding"):
        return _F32, values.astype("<f4")
    if values.ndim == 2 and file_type == "q8_0":
        return _Q8_0, quantize_q8_0(values)
    return _F16, values.astype("<f2")


def write_tensor(out, name, values, file_type):
    kind, data = encode(name, values, file_type)
    shape = list(values.shape)
    if ".conv" in name and name.endswith(".bias"):
        shape.append(1)  # broadcast over the frames
    encoded = name.encode()
    out.write(struct.pack("<iii", len(shape), len(encoded), kind))
    out.write(struct.pack(f"<{len(shape)}i", *reversed(shape)))
    out.write(encoded)
    out.write(data.tobytes())


def write_ggml(folder, path, file_type):
    weights = WhisperWeights(folder)
    dims = weights.dims
    # Ids from the end-of-text token on are special; whisper.cpp names them itself.
    tokens = read_vocabulary(folder)
    words = token_bytes(tokens[: tokens.index("<|endoftext|>")])
    filters = mel_filters(dims["n_mels"])
    with open(path, "wb") as out:
        out.write(struct.pack("<I", _MAGIC))
        out.write(struct.pack("<11i", *(dims[name] for name in _DIMS), _FILE_TYPE[file_type]))
        out.write(struct.pack("<ii", *filters.shape))
        out.write(filters.tobytes())
        out.write(struct.pack("<i", len(words)))
        for word in words:
            out.write(struct.pack("<i", len(word)) + word)
        for name, values in weights.tensors.items():
            write_tensor(out, name, values, file_type)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model_folder")
    parser.add_argument("out")
    parser.add_argument("--type", choices=_FILE_TYPE, default="f16")
    arguments = parser.parse_args()
    write_ggml(arguments.model_folder, arguments.out, arguments.type)


if __name__ == "__main__":
    main()
