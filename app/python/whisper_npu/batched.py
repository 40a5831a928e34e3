"""faster-whisper's BatchedInferencePipeline over the engine: clips of speech, decoded side by side."""

from typing import Any, BinaryIO, Dict, Iterable, List, Optional, Tuple, Union

import numpy as np

from whisper_npu.arguments import (FASTER_WHISPER_NAMES, WINDOW_S, engine_options, engine_vad, refuse_unless, said_options,
                                   set_option, temperatures_of, vad_of)
from whisper_npu.audio import SAMPLE_RATE, decode_int16
from whisper_npu.model import WhisperModel
from whisper_npu.results import Segment, TranscriptionInfo, VadOptions
from whisper_npu.run import Run

# What faster-whisper takes and does not use in batches, with the values that mean nothing.
_UNUSED = {
    "compression_ratio_threshold": (2.4, None),
    "log_prob_threshold": (-1.0, None),
    "no_speech_threshold": (0.6, None),
    "condition_on_previous_text": (True, False),
    "prompt_reset_on_temperature": (0.5,),
    "prefix": (None,),
    "hallucination_silence_threshold": (None,),
}


class BatchedInferencePipeline:
    """model: whose weights are used."""

    def __init__(self, model: WhisperModel):
        self.model: WhisperModel = model

    def transcribe(
        self,
        audio: Union[str, BinaryIO, np.ndarray],
        language: Optional[str] = None,
        task: str = "transcribe",
        log_progress: bool = False,
        beam_size: int = 5,
        best_of: int = 5,
        patience: float = 1,
        length_penalty: float = 1,
        repetition_penalty: float = 1,
        no_repeat_ngram_size: int = 0,
        temperature: Union[float, List[float], Tuple[float, ...]] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
        compression_ratio_threshold: Optional[float] = 2.4,
        log_prob_threshold: Optional[float] = -1.0,
        no_speech_threshold: Optional[float] = 0.6,
        condition_on_previous_text: bool = True,
        prompt_reset_on_temperature: float = 0.5,
        initial_prompt: Optional[Union[str, Iterable[int]]] = None,
        prefix: Optional[str] = None,
        suppress_blank: bool = True,
        suppress_tokens: Optional[List[int]] = [-1],
        without_timestamps: bool = True,
        max_initial_timestamp: float = 1.0,
        word_timestamps: bool = False,
        prepend_punctuations: str = "\"'“¿([{-",
        append_punctuations: str = "\"'.。,，!！?？:：”)]}、",
        multilingual: bool = False,
        vad_filter: bool = True,
        vad_parameters: Optional[Union[dict, VadOptions]] = None,
        max_new_tokens: Optional[int] = None,
        chunk_length: Optional[int] = None,
        clip_timestamps: Optional[List[dict]] = None,
        hallucination_silence_threshold: Optional[float] = None,
        batch_size: int = 8,
        hotwords: Optional[str] = None,
        language_detection_threshold: Optional[float] = 0.5,
        language_detection_segments: int = 1,
        speakers: Optional[Union[str, int, Tuple[int, int]]] = None,
        speaker_names: Optional[Dict[str, str]] = None,
    ) -> Tuple[Iterable[Segment], TranscriptionInfo]:
        """As WhisperModel.transcribe, but that clips are decoded `batch_size` at a time, each by itself.

        The clips are `clip_timestamps`, a list of {"start": seconds, "end": seconds}, else what
        `vad_filter` finds; without both the audio must be shorter than 30 s. Of temperatures the first
        alone counts, and nothing is decoded again, as in faster-whisper.

        batch_size: clips at once.
        """
        arguments = self.model.settled({name: value for name, value in locals().items() if name != "self"})
        for name, values in _UNUSED.items():
            refuse_unless(arguments[name] in values, name, f"{values[0]} in batches", arguments[name])
        # What they are in a batch.
        arguments.update({name: None for name in _UNUSED}, condition_on_previous_text=False,
                         prompt_reset_on_temperature=0.5, temperature=temperatures_of(temperature)[:1])
        seconds = chunk_length or WINDOW_S
        refuse_unless(1 <= seconds <= WINDOW_S, "chunk_length", f"1 to {WINDOW_S}, the model's window", chunk_length)
        options = engine_options({**arguments, "chunk_length": None})
        set_option(options, "batch_size", batch_size)
        vad = vad_parameters
        if not clip_timestamps and vad_filter:
            vad = _vad(vad_parameters, seconds)
            options.vad = engine_vad(vad)
        else:
            audio, clips = _clips(audio, clip_timestamps, seconds)
            set_option(options, "clip_timestamps", clips)
        run = Run(self.model.engine, audio, options, log_progress, FASTER_WHISPER_NAMES)
        clips_said = clip_timestamps or [{"start": start, "end": end} for start, end in run.beginning.clips]
        said = said_options(arguments, clip_timestamps=clips_said)
        return self.model.begun(run, word_timestamps), self.model.info(run, arguments, said, vad)


if BatchedInferencePipeline.transcribe.__doc__ and WhisperModel.transcribe.__doc__:  # not under python -OO
    BatchedInferencePipeline.transcribe.__doc__ += WhisperModel.transcribe.__doc__.split("\n", 1)[1]


def _vad(parameters: Optional[Union[dict, VadOptions]], longest_s: float) -> VadOptions:
    """faster-whisper: clips are never longer than that, whatever a dictionary says."""
    if isinstance(parameters, dict):
        parameters = {**parameters, "max_speech_duration_s": longest_s}
    return vad_of(parameters, max_speech_duration_s=longest_s, min_silence_duration_ms=160)


def _clips(audio: Any, given: Optional[List[Dict[str, float]]], longest_s: float) -> Tuple[Any, List[float]]:
    """The audio, perhaps as samples, and bounds of its clips."""
    if given:
        return audio, [clip[bound] for clip in given for bound in ("start", "end")]
    samples = audio if isinstance(audio, np.ndarray) else decode_int16(audio)
    seconds = samples.shape[0] / SAMPLE_RATE
    if seconds >= longest_s:
        raise RuntimeError(f"expected audio of less than {longest_s} s, vad_filter=True or clip_timestamps, "
                           f"found {seconds:.1f} s")
    return samples, [0.0, float(WINDOW_S)]
