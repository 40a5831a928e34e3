"""What openai-whisper's command hears with its defaults, tiny.en and these recordings."""
import hashlib

import numpy as np
import torch
import whisper

from reference import tiny_en
from reference.files import CACHE, rounded, write_json

SEED = 20250625
TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
# This depends on the CPU in its last digits.
MEASURED = ("avg_logprob", "no_speech_prob")


def transcript(model, audio):
    torch.manual_seed(SEED)
    found = whisper.transcribe(model, audio, language="en", fp16=False, beam_size=5, best_of=5,
                               temperature=TEMPERATURES)
    segments = [{**segment, **{name: rounded(segment[name]) for name in MEASURED}}
                for segment in found["segments"]]
    samples = np.round(audio * 32768).astype("<i2").tobytes()
    return {"pcm_s16le_sha256": hashlib.sha256(samples).hexdigest(), "text": found["text"],
            "language": found["language"], "segments": segments}


def make(here, folder):
    model = tiny_en.load()
    speech = [CACHE / "samples/jfk.wav", *sorted((here / "recordings").glob("*.flac"))]
    audios = {path.name: whisper.load_audio(str(path))
              for path in [*speech, *sorted((here / "sounds").iterdir())]}
    # Longer than a window: all speech one after the other, twice.
    audios["all_twice"] = np.concatenate([audios[path.name] for path in speech] * 2)
    for name, audio in audios.items():
        result = transcript(model, audio)
        # At another temperature random numbers would be in the text.
        assert all(segment["temperature"] == 0 for segment in result["segments"]), name
        write_json(folder / f"{name}.json", result)
