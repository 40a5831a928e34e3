"""faster_whisper.vad by its name: what is speech, and its options."""

from typing import Any, Dict, List, Optional

import numpy as np

from whisper_npu import _engine
from whisper_npu.arguments import engine_vad, refuse_unless
from whisper_npu.audio import SAMPLE_RATE
from whisper_npu.results import VadOptions

__all__ = ["VadOptions", "get_speech_timestamps"]


def get_speech_timestamps(
    audio: np.ndarray,
    vad_options: Optional[VadOptions] = None,
    sampling_rate: int = SAMPLE_RATE,
    **kwargs: Any,
) -> List[Dict[str, int]]:
    """Stretches of speech, as {"start": sample, "end": sample}.

    audio: mono samples, 16 kHz, of which the detector is one.
    vad_options: VadOptions, or
    kwargs: its fields by name.
    sampling_rate: 16000; any other is refused.
    """
    refuse_unless(sampling_rate == SAMPLE_RATE, "sampling_rate", f"{SAMPLE_RATE}, the detector's", sampling_rate)
    samples = np.ascontiguousarray(audio, np.float32)
    found = _engine.speech_stretches(samples, engine_vad(vad_options or VadOptions(**kwargs)))
    return [{"start": start, "end": end} for start, end in found]
