"""Reads a Whisper model in CTranslate2's format and gives its tensors openai/whisper's names.

Layout of model.bin, version 6, all little-endian (CTranslate2 python/ctranslate2/specs/model_spec.py,
Model serialisation): u32 version, string spec, u32 revision, u32 count, then for each variable
string name, u8 rank, u32 dims[rank], u8 type, u32 bytes, data; then u32 count of aliases, each two
strings. A string is u16 length (its final NUL counted) and the bytes.
"""

import json
import struct
from pathlib import Path

import numpy as np

# Ids of CTranslate2's DataType; bfloat16 (5) has no numpy type.
_TYPES = {0: "<f4", 1: "<i1", 2: "<i2", 3: "<i4", 4: "<f2"}


class Ct2File:
    """The variables of a model.bin by name: views of `data`, so that what is written to them is in it."""

    def __init__(self, path):
        self.data = bytearray(Path(path).read_bytes())
        self._at = 0
        self.variables = {}
        version = self._number("<I")
        if version != 6:
            raise ValueError(f"{path}: expected CTranslate2 binary version 6, found {version}")
        spec = self._string()
        if spec != "WhisperSpec":
            raise ValueError(f"{path}: expected WhisperSpec, found {spec}")
        self._number("<I")
        for _ in range(self._number("<I")):
            self._read_variable(path)

    def _number(self, form):
        (value,) = struct.unpack_from(form, self.data, self._at)
        self._at += struct.calcsize(form)
        return value

    def _string(self):
        size = self._number("<H")
        text = self.data[self._at : self._at + size - 1].decode()
        self._at += size
        return text

    def _read_variable(self, path):
        name = self._string()
        shape = [self._number("<I") for _ in range(self._number("<B"))]
        kind = self._number("<B")
        size = self._number("<I")
        if kind not in _TYPES:
            raise ValueError(f"{path}: {name}: expected one of the types {_TYPES}, found {kind}")
        count = size // np.dtype(_TYPES[kind]).itemsize
        values = np.frombuffer(self.data, _TYPES[kind], count, self._at)
        self.variables[name] = values.reshape(shape)
        self._at += size


class WhisperWeights:
    """dims as openai/whisper's ModelDimensions; tensors by openai/whisper's names, in order."""

    def __init__(self, folder):
        self._variables = Ct2File(Path(folder) / "model.bin").variables
        self.dims = self._read_dims()
        self.tensors = {}
        self._add_encoder()
        self._add_decoder()

    def _count_layers(self, side):
        names = {name.split("/")[1] for name in self._variables if name.startswith(side)}
        return sum(name.startswith("layer_") and name != "layer_norm" for name in names)

    def _read_dims(self):
        v = self._variables
        n_state, n_mels, _ = v["encoder/conv1/weight"].shape
        return {
            "n_vocab": v["decoder/embeddings/weight"].shape[0],
            "n_audio_ctx": v["encoder/position_encodings/encodings"].shape[0],
            "n_audio_state": n_state,
            "n_audio_head": int(v["encoder/num_heads"]),
            "n_audio_layer": self._count_layers("encoder/"),
            "n_text_ctx": v["decoder/position_encodings/encodings"].shape[0],
            "n_text_state": n_state,
            "n_text_head": int(v["decoder/num_heads"]),
            "n_text_layer": self._count_layers("decoder/"),
            "n_mels": n_mels,
        }

    def _float(self, name):
        values = self._variables[name]
        if values.dtype.kind != "f":
            raise ValueError(f"{name}: expected float16 or float32, found {values.dtype}")
        return values

    def _add(self, name, source):
        self.tensors[name] = self._float(source)

    def _add_norm(self, name, source):
        self._add(f"{name}.weight", f"{source}/gamma")
        self._add(f"{name}.bias", f"{source}/beta")

    def _add_linear(self, names, source):
        """One fused CTranslate2 linear as several of openai's, stacked along the output."""
        weights = np.split(self._float(f"{source}/weight"), len(names))
        biases = np.split(self._float(f"{source}/bias"), len(names))
        for name, weight, bias in zip(names, weights, biases):
            self.tensors[f"{name}.weight"] = weight
            if name.endswith(".key"):  # openai's key projection has no bias
                if np.any(bias):
                    raise ValueError(f"{source}/bias: expected zeros for the key, found others")
            else:
                self.tensors[f"{name}.bias"] = bias

    def _add_mlp(self, block, layer):
        self._add_norm(f"{block}.mlp_ln", f"{layer}/ffn/layer_norm")
        self._add_linear([f"{block}.mlp.0"], f"{layer}/ffn/linear_0")
        self._add_linear([f"{block}.mlp.2"], f"{layer}/ffn/linear_1")

    def _add_self_attention(self, block, layer):
        source = f"{layer}/self_attention"
        self._add_norm(f"{block}.attn_ln", f"{source}/layer_norm")
        names = [f"{block}.attn.{part}" for part in ("query", "key", "value")]
        self._add_linear(names, f"{source}/linear_0")
        self._add_linear([f"{block}.attn.out"], f"{source}/linear_1")

    def _add_cross_attention(self, block, layer):
        source = f"{layer}/attention"
        self._add_norm(f"{block}.cross_attn_ln", f"{source}/layer_norm")
        self._add_linear([f"{block}.cross_attn.query"], f"{source}/linear_0")
        names = [f"{block}.cross_attn.{part}" for part in ("key", "value")]
        self._add_linear(names, f"{source}/linear_1")
        self._add_linear([f"{block}.cross_attn.out"], f"{source}/linear_2")

    def _add_encoder(self):
        self._add("encoder.positional_embedding", "encoder/position_encodings/encodings")
        for conv in ("conv1", "conv2"):
            self._add(f"encoder.{conv}.weight", f"encoder/{conv}/weight")
            self._add(f"encoder.{conv}.bias", f"encoder/{conv}/bias")
        for i in range(self.dims["n_audio_layer"]):
            self._add_self_attention(f"encoder.blocks.{i}", f"encoder/layer_{i}")
            self._add_mlp(f"encoder.blocks.{i}", f"encoder/layer_{i}")
        self._add_norm("encoder.ln_post", "encoder/layer_norm")

    def _add_decoder(self):
        self._add("decoder.positional_embedding", "decoder/position_encodings/encodings")
        self._add("decoder.token_embedding.weight", "decoder/embeddings/weight")
        for i in range(self.dims["n_text_layer"]):
            self._add_self_attention(f"decoder.blocks.{i}", f"decoder/layer_{i}")
            self._add_cross_attention(f"decoder.blocks.{i}", f"decoder/layer_{i}")
            self._add_mlp(f"decoder.blocks.{i}", f"decoder/layer_{i}")
        self._add_norm("decoder.ln", "decoder/layer_norm")


def read_vocabulary(folder):
    """The tokens of vocabulary.json or vocabulary.txt, by id, in GPT-2's printable alphabet."""
    as_json = Path(folder) / "vocabulary.json"
    if as_json.exists():
        return json.loads(as_json.read_text(encoding="utf-8"))
    text = (Path(folder) / "vocabulary.txt").read_text(encoding="utf-8")
    return text.rstrip("\n").split("\n")
