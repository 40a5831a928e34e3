"""The weights of tiny.en, which app/setup.sh fetches as a CTranslate2 folder, in openai-whisper."""
import struct

import numpy as np
import torch
from whisper.model import ModelDimensions, Whisper

from reference.files import CACHE

DIMS = ModelDimensions(n_mels=80, n_audio_ctx=1500, n_audio_state=384, n_audio_head=6,
                       n_audio_layer=4, n_vocab=51864, n_text_ctx=448, n_text_state=384,
                       n_text_head=6, n_text_layer=4)
# Layer and head of what word timestamps are aligned by.
ALIGNMENT_HEADS = ((1, 0), (2, 0), (2, 5), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4))


def read_ctranslate2(path):
    """The float16 tensors of a model.bin of binary version 6, by name."""
    data = path.read_bytes()
    at = 0

    def take(layout):
        nonlocal at
        values = struct.unpack_from("<" + layout, data, at)
        at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]

    def take_name():
        length = take("H")
        return take(f"{length}s").rstrip(b"\0").decode()

    version, _, _, count = take("I"), take_name(), take("I"), take("I")
    assert version == 6, version
    tensors = {}
    for _ in range(count):
        name, rank = take_name(), take("B")
        shape = [take("I") for _ in range(rank)]
        is_half, size = take("B") == 4, take("I")
        if is_half:
            tensors[name] = np.frombuffer(data, "<f2", size // 2, at).reshape(shape)
        at += size
    return {name: torch.from_numpy(values.astype(np.float32)) for name, values in tensors.items()}


def norm(tensors, ours, theirs):
    return {f"{ours}.weight": tensors[f"{theirs}/gamma"], f"{ours}.bias": tensors[f"{theirs}/beta"]}


def linear(tensors, ours, theirs):
    return {f"{ours}.weight": tensors[f"{theirs}/weight"], f"{ours}.bias": tensors[f"{theirs}/bias"]}


def projections(tensors, ours, theirs, names):
    """What CTranslate2 fuses into one matrix. The key has no bias here, there it is zero."""
    state = {}
    parts = zip(names, tensors[f"{theirs}/weight"].chunk(len(names)),
                tensors[f"{theirs}/bias"].chunk(len(names)))
    for name, weight, bias in parts:
        state[f"{ours}.{name}.weight"] = weight
        if name == "key":
            assert not bias.any()
        else:
            state[f"{ours}.{name}.bias"] = bias
    return state


def layer(tensors, side, i):
    ours, theirs = f"{side}.blocks.{i}", f"{side}/layer_{i}"
    state = {
        **norm(tensors, f"{ours}.attn_ln", f"{theirs}/self_attention/layer_norm"),
        **projections(tensors, f"{ours}.attn", f"{theirs}/self_attention/linear_0",
                      ("query", "key", "value")),
        **linear(tensors, f"{ours}.attn.out", f"{theirs}/self_attention/linear_1"),
        **norm(tensors, f"{ours}.mlp_ln", f"{theirs}/ffn/layer_norm"),
        **linear(tensors, f"{ours}.mlp.0", f"{theirs}/ffn/linear_0"),
        **linear(tensors, f"{ours}.mlp.2", f"{theirs}/ffn/linear_1")}
    if side == "decoder":
        cross = f"{theirs}/attention"
        state |= {
            **norm(tensors, f"{ours}.cross_attn_ln", f"{cross}/layer_norm"),
            **projections(tensors, f"{ours}.cross_attn", f"{cross}/linear_0", ("query",)),
            **projections(tensors, f"{ours}.cross_attn", f"{cross}/linear_1", ("key", "value")),
            **linear(tensors, f"{ours}.cross_attn.out", f"{cross}/linear_2")}
    return state


def load():
    tensors = read_ctranslate2(CACHE / "tiny.en/model.bin")
    state = {"encoder.positional_embedding": tensors["encoder/position_encodings/encodings"],
             "decoder.positional_embedding": tensors["decoder/position_encodings/encodings"],
             "decoder.token_embedding.weight": tensors["decoder/embeddings/weight"],
             **linear(tensors, "encoder.conv1", "encoder/conv1"),
             **linear(tensors, "encoder.conv2", "encoder/conv2"),
             **norm(tensors, "encoder.ln_post", "encoder/layer_norm"),
             **norm(tensors, "decoder.ln", "decoder/layer_norm")}
    for side in ("encoder", "decoder"):
        for i in range(DIMS.n_audio_layer):
            state |= layer(tensors, side, i)
    model = Whisper(DIMS)
    model.load_state_dict(state)
    heads = torch.zeros(DIMS.n_text_layer, DIMS.n_text_head, dtype=torch.bool)
    for at in ALIGNMENT_HEADS:
        heads[at] = True
    model.register_buffer("alignment_heads", heads.to_sparse(), persistent=False)
    return model.eval()
