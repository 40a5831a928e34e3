"""Two small multilingual models, as the converters of others write them, in one archive, and what
openai-whisper makes of a recording with them."""
import pathlib
import subprocess
import sys
import tarfile
import tempfile
from unittest import mock

import torch
import transformers
import whisper
from ctranslate2.converters.transformers import WhisperLoader
from transformers.convert_slow_tokenizer import bytes_to_unicode
from whisper.audio import N_FRAMES, N_SAMPLES
from whisper.tokenizer import get_tokenizer

from reference.files import rounded, write_array, write_json
from reference.jfk_stages import POSITIONS, first_window
from reference.nano_weights import dimensions, make_model

RECORDING = "recordings/2414-128291-0009.flac"
# Of the seeds from 1 on, those where no run depends on what disturbed_logits() changes.
MODELS = {"nano80": (dimensions(80, 51865, 2), 16), "nano128": (dimensions(128, 51866, 1), 17)}
N_TOKENS = 10
# What openai-whisper calls these, transformers calls those.
NAMES = (("blocks", "layers"), ("attn_ln", "self_attn_layer_norm"),
         ("cross_self_attn_layer_norm", "encoder_attn_layer_norm"), ("mlp_ln", "final_layer_norm"),
         ("mlp.0", "fc1"), ("mlp.2", "fc2"), ("cross_attn", "encoder_attn"), (".attn.", ".self_attn."),
         (".query", ".q_proj"), (".key", ".k_proj"), (".value", ".v_proj"), (".out", ".out_proj"),
         ("token_embedding", "embed_tokens"), ("positional_embedding", "embed_positions.weight"),
         ("decoder.ln.", "decoder.layer_norm."), ("ln_post", "layer_norm"))


def tokenizer_of(dims):
    return get_tokenizer(True, num_languages=dims.n_vocab - 51766, language="en",
                         task="transcribe")


def suppressed(tokenizer):
    return sorted({*tokenizer.non_speech_tokens, tokenizer.transcribe, tokenizer.translate,
                   tokenizer.sot, tokenizer.sot_prev, tokenizer.sot_lm, tokenizer.no_speech})


def hf_name(name):
    for ours, theirs in NAMES:
        name = name.replace(ours, theirs)
    return f"model.{name}"


def hf_model(model, tokenizer):
    dims = model.dims
    lists = {"suppress_tokens": suppressed(tokenizer),
             "begin_suppress_tokens": [tokenizer.encode(" ")[0], tokenizer.eot]}
    config = transformers.WhisperConfig(
        vocab_size=dims.n_vocab, num_mel_bins=dims.n_mels, d_model=dims.n_audio_state,
        encoder_layers=dims.n_audio_layer, encoder_attention_heads=dims.n_audio_head,
        decoder_layers=dims.n_text_layer, decoder_attention_heads=dims.n_text_head,
        encoder_ffn_dim=4 * dims.n_audio_state, decoder_ffn_dim=4 * dims.n_text_state,
        max_source_positions=dims.n_audio_ctx, max_target_positions=dims.n_text_ctx,
        bos_token_id=tokenizer.eot, eos_token_id=tokenizer.eot, pad_token_id=tokenizer.eot,
        decoder_start_token_id=tokenizer.sot)
    found = transformers.WhisperForConditionalGeneration(config)
    state = {hf_name(name): values for name, values in model.state_dict().items()}
    state["proj_out.weight"] = state["model.decoder.embed_tokens.weight"]
    found.load_state_dict(state)
    found.generation_config = transformers.GenerationConfig(
        **lists, bos_token_id=tokenizer.eot, eos_token_id=tokenizer.eot,
        pad_token_id=tokenizer.eot, decoder_start_token_id=tokenizer.sot, is_multilingual=True,
        alignment_heads=model.alignment_heads.indices().T.tolist(), max_length=dims.n_text_ctx,
        lang_to_id={f"<|{code}|>": tokenizer.to_language_token(code)
                    for code in tokenizer.all_language_codes},
        task_to_id={"transcribe": tokenizer.transcribe, "translate": tokenizer.translate},
        no_timestamps_token_id=tokenizer.no_timestamps)
    return found.half()


def vocabulary(tokenizer):
    """As transformers' tokenizer files spell it: a character a byte."""
    spelling = bytes_to_unicode()
    encoding = tokenizer.encoding
    tokens = ["".join(spelling[byte] for byte in encoding.decode_single_token_bytes(i))
              for i in range(tokenizer.eot)]
    return tokens + [encoding.decode([i]) for i in range(tokenizer.eot, encoding.n_vocab)]


def write_ctranslate2(model, tokenizer, folder):
    loader = WhisperLoader()
    spec = loader.get_model_spec(model)
    spec.register_vocabulary(vocabulary(tokenizer))
    loader.set_config(spec.config, model, None)
    spec.validate()
    spec.optimize(quantization="float16")
    folder.mkdir()
    spec.save(str(folder))


def write_ggml(model, script, folder):
    """By whisper.cpp's script, from openai-whisper's checkpoint."""
    folder.mkdir()
    checkpoint = folder / "model.pt"
    torch.save({"dims": model.dims.__dict__,
                "model_state_dict": {n: v.half() for n, v in model.state_dict().items()}}, checkpoint)
    repository = pathlib.Path(whisper.__file__).parents[1]
    subprocess.run([sys.executable, script, checkpoint, repository, folder], check=True,
                   stdout=subprocess.DEVNULL)
    checkpoint.unlink()


def fetch_script(here, folder):
    """convert-pt-to-ggml.py, from the archive that has jfk.wav in it too."""
    wanted = [line for line in (here / "../../app/downloads.txt").read_text().splitlines()
              if line.startswith("pywhispercpp")]
    (folder / "list.txt").write_text("\n".join(wanted))
    subprocess.run(["/usr/bin/python3", "-m", "pip", "download", "--quiet", "--no-deps",
                    "--disable-pip-version-check", "--require-hashes", "--no-binary", "pywhispercpp",
                    "-r", folder / "list.txt", "-d", folder], check=True)
    archive = next(folder.glob("pywhispercpp-*.tar.gz"))
    with tarfile.open(archive) as tar:
        name = next(n for n in tar.getnames() if n.endswith("models/convert-pt-to-ggml.py"))
        script = folder / "convert-pt-to-ggml.py"
        script.write_bytes(tar.extractfile(name).read())
    return script


def pack(folder, archive):
    """Formats of one model side by side: they hold the same values."""
    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        info.mode = 0o755 if info.isdir() else 0o644
        return info

    with tarfile.open(archive.with_suffix(""), "w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name, filter=plain)
    subprocess.run(["xz", "--threads=1", "--lzma2=preset=9e,dict=64MiB", "--force",
                    archive.with_suffix("")], check=True)


def greedy_margin(model, states, options):
    """The smallest lead of a chosen token over the next."""
    task = whisper.decoding.DecodingTask(model, options)
    margins = []
    update = task.decoder.update

    def watched(tokens, logits, sums):
        first, second = logits[0].topk(2).values.tolist()
        margins.append(first - second)
        return update(tokens, logits, sums)

    task.decoder.update = watched
    task.run(states)
    return min(margins)


def disturbed_logits(model):
    """Noise on all logits but the 32 likeliest and those of special tokens: as large as the error of
    a program that computes unlikely ones from weights of eight bits."""
    exact = model.decoder.forward

    def forward(*arguments, **options):
        logits = exact(*arguments, **options)
        kept = torch.zeros_like(logits, dtype=torch.bool)
        kept.scatter_(-1, logits.topk(32).indices, True)
        kept[..., 50257:] = True
        return torch.where(kept, logits, logits + 0.05 * torch.randn_like(logits))

    return mock.patch.object(model.decoder, "forward", forward)


def runs(model, states):
    for task in ("transcribe", "translate"):
        for language in ("en", "fr"):
            for without_timestamps in (False, True):
                arguments = dict(task=task, language=language, sample_len=N_TOKENS,
                                 without_timestamps=without_timestamps)
                greedy = whisper.DecodingOptions(**arguments, fp16=False)
                beam = whisper.DecodingOptions(**arguments, fp16=False, beam_size=5)
                assert greedy_margin(model, states, greedy) > 0.01
                found = {"options": arguments}
                for name, options in (("greedy", greedy), ("beam5", beam)):
                    result = whisper.decode(model, states[0], options)
                    noisy = states[0] * (1 + 1e-3 * torch.randn_like(states[0]))
                    with disturbed_logits(model):
                        assert whisper.decode(model, noisy, options).tokens == result.tokens
                    found[name] = {"tokens": result.tokens,
                                   "avg_logprob": rounded(result.avg_logprob)}
                yield found


def write_results(here, folder, name, model):
    torch.manual_seed(1)
    audio = whisper.load_audio(str(here / RECORDING))
    states = model.encoder(first_window(audio, model.dims.n_mels)[None])
    write_array(folder / f"{name}_states.npy", states[0, ::POSITIONS], "<f4")
    # As transcribe() does: the silence behind the audio is heard, not left out.
    silent = whisper.log_mel_spectrogram(audio, model.dims.n_mels, padding=N_SAMPLES)
    _, probabilities = model.detect_language(whisper.pad_or_trim(silent, N_FRAMES)[None])
    ranked = sorted(probabilities[0].items(), key=lambda entry: -entry[1])
    write_json(folder / f"{name}.json", {
        "recording": RECORDING, "language_detected": ranked[0][0],
        "language_probs": {code: rounded(p) for code, p in ranked},
        "runs": list(runs(model, states))})


def make(here, folder):
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        script = fetch_script(here, work)
        models = work / "models"
        models.mkdir()
        for name, (dims, seed) in MODELS.items():
            model, tokenizer = make_model(dims, seed), tokenizer_of(dims)
            theirs = hf_model(model, tokenizer)
            (models / name).mkdir()
            theirs.save_pretrained(models / name / "hf")
            write_ctranslate2(theirs, tokenizer, models / name / "ct2")
            write_ggml(model, script, models / name / "ggml")
            write_results(here, folder, name, model)
        pack(models, folder / "nano.tar.xz")
