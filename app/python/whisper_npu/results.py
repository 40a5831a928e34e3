"""What a transcription gives and what it was asked for: faster-whisper's dataclasses, field by field."""

from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union
from warnings import warn

from whisper_npu import _engine


def _old_dict(result: Any) -> Dict[str, Any]:
    name = type(result).__name__
    warn(f"{name}._asdict() is deprecated, use dataclasses.asdict()", DeprecationWarning, 3)
    return asdict(result)


@dataclass
class Word:
    start: float
    end: float
    word: str
    probability: float
    speaker: Optional[str] = None  # where speakers or channels were asked for

    def _asdict(self) -> Dict[str, Any]:
        return _old_dict(self)


@dataclass
class Segment:
    id: int
    seek: int
    start: float
    end: float
    text: str
    tokens: List[int]
    avg_logprob: float
    compression_ratio: float
    no_speech_prob: float
    words: Optional[List[Word]]
    temperature: Optional[float]
    speaker: Optional[str] = None  # likewise

    def _asdict(self) -> Dict[str, Any]:
        return _old_dict(self)


@dataclass
class VadOptions:
    """Which of the audio is speech. Times are 0 to 1e6."""

    threshold: float = 0.5  # speech begins where its probability is at least this,
    neg_threshold: Optional[float] = None  # and ends below this; None: threshold - 0.15
    min_speech_duration_ms: int = 0  # shorter speech is dropped
    max_speech_duration_s: float = float("inf")  # nothing else; in batches 30
    min_silence_duration_ms: int = 2000  # shorter silence does not end speech
    speech_pad_ms: int = 400  # taken with the speech on both sides


@dataclass
class TranscriptionOptions:
    beam_size: int
    best_of: int
    patience: float
    length_penalty: float
    repetition_penalty: float
    no_repeat_ngram_size: int
    log_prob_threshold: Optional[float]
    no_speech_threshold: Optional[float]
    compression_ratio_threshold: Optional[float]
    condition_on_previous_text: bool
    prompt_reset_on_temperature: float
    temperatures: List[float]
    initial_prompt: Optional[Union[str, Iterable[int]]]
    prefix: Optional[str]
    suppress_blank: bool
    suppress_tokens: Optional[List[int]]
    without_timestamps: bool
    max_initial_timestamp: float
    word_timestamps: bool
    prepend_punctuations: str
    append_punctuations: str
    multilingual: bool
    max_new_tokens: Optional[int]
    clip_timestamps: Union[str, List[float], List[dict]]
    hallucination_silence_threshold: Optional[float]
    hotwords: Optional[str]


@dataclass
class TranscriptionInfo:
    language: str
    language_probability: float
    duration: float
    duration_after_vad: float
    all_language_probs: Optional[List[Tuple[str, float]]]
    transcription_options: TranscriptionOptions
    vad_options: Optional[VadOptions]


def segment_of(found: "_engine.Segment", with_words: bool) -> Segment:
    """faster-whisper counts segments from 1."""
    words = [Word(w.start, w.end, w.text, w.probability, w.speaker or None) for w in found.words] if with_words else None
    return Segment(
        id=found.id + 1,
        seek=found.seek,
        start=found.start,
        end=found.end,
        text=found.text,
        tokens=list(found.tokens),
        avg_logprob=found.avg_logprob,
        compression_ratio=found.compression_ratio,
        no_speech_prob=found.no_speech_prob,
        words=words,
        temperature=found.temperature,
        speaker=found.speaker or None,
    )
