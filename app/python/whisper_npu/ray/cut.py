"""Where a long recording is cut: in silences, or at its quietest places."""

import functools
import math
import os
import sys
import wave
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from whisper_npu import _engine
from whisper_npu.arguments import vad_weights
from whisper_npu.audio import SAMPLE_RATE, decode_int16

_FRAME = 512  # samples: Silero's 32 ms
_SPEECH = 0.35  # where speech ends, as Silero has it
_LEAST_SILENCE = 0.2  # seconds: less is a pause in a word
_LEAST_PIECE = 1.0  # seconds
Stretch = Tuple[float, float]


def cut_file(path: str, offset: float, duration: Optional[float], most: float, folder: str) -> Dict[str, Any]:
    """Writes the pieces of a stretch of a file into a folder, in order; a short one is not cut: {"stretches": []}."""
    samples = decode_int16(path)
    begin = int(offset * SAMPLE_RATE)
    samples = samples[begin:] if duration is None else samples[begin:begin + int(duration * SAMPLE_RATE)]
    total = len(samples) / SAMPLE_RATE
    if total <= most:
        return {"stretches": [], "files": [], "by": "", "seconds": total}
    levels, by = speech(samples)
    stretches = pieces(total, most, silences(levels), levels)
    files = [os.path.join(folder, f"{number:04}.wav") for number in range(1, len(stretches) + 1)]
    for file, (begin, end) in zip(files, stretches):
        _write(file, samples[round(begin * SAMPLE_RATE):round(end * SAMPLE_RATE)])
    return {"stretches": stretches, "files": files, "by": by, "seconds": total}


def _write(path: str, samples: np.ndarray) -> None:
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
        file.writeframes(samples.tobytes())


def speech(samples: np.ndarray) -> Tuple[np.ndarray, str]:
    """How much speech is in each frame, and who says so: Silero's detector, or the energy where it has no weights.

    Of "silero" the probability, of "energy" where its decibels are between the quiet frames' and the loud ones',
    from 0 to 1 as well.
    """
    weights = vad_weights()
    if os.path.exists(weights):
        return np.asarray(_engine.speech_probabilities(samples, weights)), "silero"
    _warn_once(weights)
    return _loudness(samples), "energy"


@functools.lru_cache(maxsize=1)
def _warn_once(weights: str) -> None:
    print(f"whisper_npu.ray: long recordings are cut where they are quietest: no Silero weights in {weights} "
          "(whisper-npu models pull silero-vad)", file=sys.stderr)


def _loudness(samples: np.ndarray) -> np.ndarray:
    frames = np.zeros(math.ceil(len(samples) / _FRAME) * _FRAME, np.float32)
    frames[:len(samples)] = samples.astype(np.float32) / 32768
    power = (frames.reshape(-1, _FRAME) ** 2).mean(axis=1)
    decibels = 10 * np.log10(power + 1e-10)
    quiet, loud = np.percentile(decibels, [5, 95]) if len(decibels) else (0.0, 0.0)
    return np.clip((decibels - quiet) / max(loud - quiet, 1e-3), 0, 1)


def silences(levels: np.ndarray) -> List[Stretch]:
    """Stretches without speech, of a least length, in order."""
    quiet = np.concatenate([[False], levels < _SPEECH, [False]])
    edges = np.flatnonzero(quiet[1:] != quiet[:-1])
    second = SAMPLE_RATE / _FRAME
    found = [(begin / second, end / second) for begin, end in zip(edges[0::2], edges[1::2])]
    return [stretch for stretch in found if stretch[1] - stretch[0] >= _LEAST_SILENCE]


def pieces(total: float, most: float, quiet: List[Stretch], levels: np.ndarray) -> List[Stretch]:
    """Stretches that are `total` seconds together, each of at most `most` and cut in whole milliseconds."""
    found = []
    begin = 0.0
    while total - begin > most:
        low = begin + most / 2
        high = min(begin + most, total - min(_LEAST_PIECE, most / 2))
        cut = math.floor(1000 * _cut_between(low, high, quiet, levels)) / 1000
        found.append((begin, cut))
        begin = cut
    return [*found, (begin, total)]


def _cut_between(low: float, high: float, quiet: List[Stretch], levels: np.ndarray) -> float:
    """The middle of the longest silence there, of equals the last; without any, the middle of the quietest frame."""
    inside = [(max(low, begin), min(high, end)) for begin, end in quiet if begin < high and end > low]
    best: Optional[Stretch] = max(inside, key=lambda s: (s[1] - s[0], s[0]), default=None)
    if best is not None and best[1] - best[0] >= _LEAST_SILENCE / 2:
        return (best[0] + best[1]) / 2
    second = SAMPLE_RATE / _FRAME
    first, last = math.ceil(low * second), math.floor(high * second)
    window = levels[first:last]
    if not len(window):
        return high
    return min(high, (first + int(np.argmin(window)) + 0.5) / second)
