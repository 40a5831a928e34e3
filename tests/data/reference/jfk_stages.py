"""What openai-whisper computes on jfk.wav with tiny.en, stage by stage, in samples: every 47th
position of the encoder, every 37th frame of a spectrogram, every 32nd logit."""
import torch
import whisper
from whisper.audio import N_FRAMES, N_SAMPLES

from reference import tiny_en
from reference.files import CACHE, rounded, write_array, write_json

POSITIONS, FRAMES, LOGITS = 47, 37, 32
N_STEPS = 12


def first_window(audio, n_mels):
    """As transcribe() feeds it: frames behind the end of the audio are zero."""
    mel = whisper.log_mel_spectrogram(audio, n_mels, padding=N_SAMPLES)
    content = mel.shape[-1] - N_FRAMES
    return whisper.pad_or_trim(mel[:, :content], N_FRAMES)


def write_spectrograms(folder, audio):
    padded = whisper.log_mel_spectrogram(whisper.pad_or_trim(torch.from_numpy(audio)), 80)
    for name, mel in (("log_mel_80", first_window(audio, 80)),
                      ("log_mel_128", first_window(audio, 128)),
                      ("log_mel_80_padded_audio", padded)):
        write_array(folder / f"{name}.npy", mel[:, ::FRAMES], "<f4")


def write_encoder(folder, model, mel):
    """The states that enter the first layer, those behind each layer, and the final ones."""
    states = {}
    handles = [block.register_forward_hook(
        lambda _, inputs, out, i=i: states.update({f"layer_{i}": out}, **({"stem": inputs[0]} if i == 0 else {})))
        for i, block in enumerate(model.encoder.blocks)]
    final = model.encoder(mel[None])
    for handle in handles:
        handle.remove()
    for name, state in states.items():
        write_array(folder / f"{name}.npy", state[0, ::POSITIONS], "<f2")
    write_array(folder / "states.npy", final[0, ::POSITIONS], "<f4")
    return final


def write_decoder(folder, model, states, mel):
    greedy = whisper.decode(model, mel, whisper.DecodingOptions(language="en", fp16=False))
    sot = whisper.tokenizer.get_tokenizer(False).sot
    context = [sot, *greedy.tokens[:N_STEPS - 1]]
    logits = model.logits(torch.tensor([context]), states)[0]
    write_array(folder / "logits.npy", logits[:, ::LOGITS], "<f4")
    write_json(folder / "decoded.json", {
        "context": context,
        "log_sum_exp": [rounded(x) for x in logits.logsumexp(-1).tolist()],
        "largest": [rounded(x) for x in logits.amax(-1).tolist()],
        "tokens": greedy.tokens, "text": greedy.text,
        "avg_logprob": rounded(greedy.avg_logprob),
        "no_speech_prob": rounded(greedy.no_speech_prob),
        "compression_ratio": greedy.compression_ratio})


def make(_, folder):
    model = tiny_en.load()
    audio = whisper.load_audio(str(CACHE / "samples/jfk.wav"))
    write_spectrograms(folder, audio)
    mel = first_window(audio, 80)
    states = write_encoder(folder, model, mel)
    write_decoder(folder, model, states, mel)
