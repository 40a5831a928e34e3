#!/usr/bin/env python3
"""Writes a CTranslate2 Whisper model as the folder that OpenVINO GenAI reads, weights as int8, so that peers run the
same weights:  ct2_to_openvino.py MODEL_FOLDER OUT

By optimum-intel's exporter, from a model of transformers that is made of the weights: no hub is asked."""

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from optimum.exporters.openvino import main_export
from optimum.intel.openvino import OVConfig, OVWeightQuantizationConfig
from transformers import (
    GenerationConfig,
    WhisperConfig,
    WhisperFeatureExtractor,
    WhisperForConditionalGeneration,
    WhisperTokenizerFast,
)

from ct2_weights import WhisperWeights

# Names of openai/whisper's tensors as transformers has them, in this order.
_RENAMED = (
    (r"\.blocks\.", ".layers."), (r"\.mlp\.0\.", ".fc1."), (r"\.mlp\.2\.", ".fc2."), (r"\.mlp_ln\.", ".final_layer_norm."),
    (r"\.cross_attn_ln\.", ".encoder_attn_layer_norm."), (r"\.attn_ln\.", ".self_attn_layer_norm."),
    (r"\.cross_attn\.", ".encoder_attn."), (r"\.attn\.", ".self_attn."), (r"\.query\.", ".q_proj."), (r"\.key\.", ".k_proj."),
    (r"\.value\.", ".v_proj."), (r"attn\.out\.", "attn.out_proj."), (r"^decoder\.ln\.", "decoder.layer_norm."),
    (r"^encoder\.ln_post\.", "encoder.layer_norm."), (r"\.positional_embedding$", ".embed_positions.weight"),
    (r"\.token_embedding\.", ".embed_tokens."),
)  # fmt: skip


def renamed(name):
    for pattern, by in _RENAMED:
        name = re.sub(pattern, by, name)
    return "model." + name


def make_model(weights, special):
    dims = weights.dims
    config = WhisperConfig(
        vocab_size=dims["n_vocab"], num_mel_bins=dims["n_mels"], d_model=dims["n_audio_state"],
        encoder_layers=dims["n_audio_layer"], encoder_attention_heads=dims["n_audio_head"],
        decoder_layers=dims["n_text_layer"], decoder_attention_heads=dims["n_text_head"],
        encoder_ffn_dim=4 * dims["n_audio_state"], decoder_ffn_dim=4 * dims["n_text_state"],
        max_source_positions=dims["n_audio_ctx"], max_target_positions=dims["n_text_ctx"],
        bos_token_id=special["<|endoftext|>"], eos_token_id=special["<|endoftext|>"],
        pad_token_id=special["<|endoftext|>"], decoder_start_token_id=special["<|startoftranscript|>"],
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config)
    tensors = {renamed(name): torch.tensor(v.astype("f4")) for name, v in weights.tensors.items()}
    tensors["proj_out.weight"] = tensors["model.decoder.embed_tokens.weight"]
    model.load_state_dict(tensors)
    return model


def generation_config(folder, special):
    """From the model's config.json and its special tokens, as the hub's generation_config.json has them."""
    given = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    codes = [code for code in special if re.fullmatch(r"<\|[a-z]{2,3}\|>", code)]
    is_multilingual = special["<|endoftext|>"] != 50256  # the vocabulary of English alone is one shorter
    languages = {
        "lang_to_id": {code: special[code] for code in codes},
        "task_to_id": {task: special[f"<|{task}|>"] for task in ("transcribe", "translate")},
    }
    end = special["<|endoftext|>"]
    return GenerationConfig(
        is_multilingual=is_multilingual, **(languages if is_multilingual else {}),
        alignment_heads=given["alignment_heads"], suppress_tokens=given["suppress_ids"],
        begin_suppress_tokens=given["suppress_ids_begin"], bos_token_id=end, eos_token_id=end, pad_token_id=end,
        decoder_start_token_id=special["<|startoftranscript|>"], max_initial_timestamp_index=50, max_length=448,
        no_timestamps_token_id=special["<|notimestamps|>"], prev_sot_token_id=special["<|startofprev|>"],
        return_timestamps=False,
    )  # fmt: skip


def save_tokenizer(folder, out):
    end = "<|endoftext|>"
    tokenizer = WhisperTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), bos_token=end, eos_token=end, unk_token=end, pad_token=end
    )
    tokenizer.save_pretrained(out)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: " + __doc__.split(":  ")[1].split("\n")[0])
    folder, out = map(Path, sys.argv[1:])
    tokens = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    special = {token["content"]: token["id"] for token in tokens["added_tokens"]}
    weights = WhisperWeights(folder)
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        model = make_model(weights, special)
        model.generation_config = generation_config(folder, special)
        model.save_pretrained(made)
        WhisperFeatureExtractor(feature_size=weights.dims["n_mels"]).save_pretrained(made)
        save_tokenizer(folder, made)
        main_export(
            made, part, task="automatic-speech-recognition-with-past", stateful=True, convert_tokenizer=True,
            ov_config=OVConfig(quantization_config=OVWeightQuantizationConfig(bits=8, sym=False)),
        )  # fmt: skip
    part.rename(out)


if __name__ == "__main__":
    main()
