"""A small encoder as torch's two exporters write it: names of weights, exchanged extents, LayerNorm and
GELU taken apart differ by exporter and operator set. Weights follow from their names."""
import logging
import pathlib
import subprocess
import tarfile
import tempfile
import warnings

import numpy as np
import onnx
import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

# Attention's implementation, operator set, whether by torch.export.
EXPORTS = (("eager", 14, False), ("eager", 17, False), ("sdpa", 14, False), ("sdpa", 17, False),
           ("eager", 20, True), ("sdpa", 18, True))
N_MELS = 8


def weight_values(name, shape):
    """As tests/program/models/onnx_import_test.py expects them: exact in fp16."""
    size = int(np.prod(shape))
    salt = sum(name.encode())
    values = (np.arange(size) * 31 + salt) % 257 - 128
    return torch.tensor(values / 512, dtype=torch.float32).reshape(shape)


def make_model(attention):
    config = WhisperConfig(vocab_size=51865, d_model=8, encoder_layers=2, decoder_layers=1,
                           encoder_attention_heads=2, decoder_attention_heads=2,
                           encoder_ffn_dim=32, decoder_ffn_dim=32, num_mel_bins=N_MELS,
                           max_target_positions=16)
    model = WhisperForConditionalGeneration._from_config(config, attn_implementation=attention)
    for name, weight in model.model.encoder.named_parameters():
        weight.copy_(weight_values(name, weight.shape))
    return model.eval()


def export(attention, opset, is_traced, path):
    options = {} if is_traced else {"dynamic_axes": {"input_features": {0: "batch_size"}}}
    torch.onnx.export(make_model(attention).model.encoder, (torch.zeros(1, N_MELS, 3000),),
                      str(path), input_names=["input_features"],
                      output_names=["last_hidden_state"], opset_version=opset,
                      dynamo=is_traced, **options)
    # What torch.export tells of sources and their places on this machine.
    model = onnx.load(str(path))
    del model.metadata_props[:], model.functions[:], model.graph.value_info[:]
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    path.with_suffix(".onnx.data").unlink(missing_ok=True)
    if is_traced:
        onnx.save(model, str(path), save_as_external_data=True, location=f"{path.stem}.data",
                  size_threshold=1024)
    else:
        onnx.save(model, str(path))


def make(_, folder):
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as temp:
        for attention, opset, is_traced in EXPORTS:
            exporter = "traced" if is_traced else "scripted"
            export(attention, opset, is_traced, pathlib.Path(temp) / f"{attention}_{opset}_{exporter}.onnx")
        archive = pathlib.Path(temp) / "onnx.tar"
        with tarfile.open(archive, "w") as tar:
            for path in sorted(pathlib.Path(temp).glob("*_*")):
                info = tarfile.TarInfo(path.name)
                info.size = path.stat().st_size
                with path.open("rb") as contents:
                    tar.addfile(info, contents)
        subprocess.run(["xz", "-9", "--keep", str(archive)], check=True)
        (folder / "onnx.tar.xz").write_bytes(archive.with_suffix(".tar.xz").read_bytes())
