"""Small multilingual models of random weights. All values are on coarse grids, which float16 holds
exactly, and pack well."""
import numpy as np
import torch
from whisper.model import ModelDimensions, Whisper

# Of a row of the embedding that are not zero.
N_EMBEDDED = 6


def dimensions(n_mels, n_vocab, heads):
    return ModelDimensions(n_mels=n_mels, n_audio_ctx=1500, n_audio_state=64, n_audio_head=heads,
                           n_audio_layer=2, n_vocab=n_vocab, n_text_ctx=448, n_text_state=64,
                           n_text_head=heads, n_text_layer=2)


def grid(random, shape, largest):
    """Even values of 16 steps up to the power of two nearest to `largest`."""
    exponent = int(np.round(np.log2(largest))) - 3
    return random.randint(-8, 8, shape) * 2.0**exponent


def embedding(random, shape):
    rows = np.zeros(shape)
    for _ in range(N_EMBEDDED):
        rows[np.arange(shape[0]), random.randint(0, shape[1], shape[0])] = (
            random.randint(0, 2, shape[0]) * 2 - 1)
    return rows


def tensor(random, name, shape, stored):
    if name == "encoder.positional_embedding":
        return np.round(stored * 8) / 8
    if name == "decoder.token_embedding.weight":
        return embedding(random, shape)
    if name == "decoder.positional_embedding":
        return grid(random, shape, 1)
    if name == "decoder.ln.weight":  # with signs, or a token would be followed by itself
        return (random.randint(0, 2, shape) * 2 - 1) * (2 + grid(random, shape, 0.5))
    if len(shape) == 1:
        return grid(random, shape, 0.25) + (1 if ".weight" in name else 0)
    # Strong blocks: the residual stream is theirs, not the token's.
    return grid(random, shape, 2 * np.sqrt(3 / np.prod(shape[1:])))


def make_model(dims, seed):
    random = np.random.RandomState(seed)
    model = Whisper(dims)
    state = {name: torch.from_numpy(tensor(random, name, tuple(stored.shape), stored.numpy()))
             .to(torch.float32) for name, stored in sorted(model.state_dict().items())}
    for name, values in state.items():
        assert torch.equal(values, values.half().float()), name
    model.load_state_dict(state)
    heads = torch.zeros(dims.n_text_layer, dims.n_text_head, dtype=torch.bool)
    heads[-1] = True
    model.register_buffer("alignment_heads", heads.to_sparse(), persistent=False)
    return model.eval()
