"""openai-whisper's module by its names: `from whisper_npu import whisper`.

Loading, transcribing and reading audio. What works on log-mel spectrograms and tensors
(`log_mel_spectrogram`, `pad_or_trim`, `decode`, `DecodingOptions`, `detect_language`) is not here, and
says so. Options of decoding are given to `transcribe`.
"""

import warnings
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from whisper_npu import _engine
from whisper_npu.arguments import clips_of, refuse_unless, set_option
from whisper_npu.audio import decode_audio
from whisper_npu.errors import UsageError
from whisper_npu.model import WhisperModel
from whisper_npu.run import Run
from whisper_npu.timestamp import format_timestamp
from whisper_npu.whisper import utils as utils  # whisper.utils.get_writer

_NAMES = ["tiny.en", "tiny", "base.en", "base", "small.en", "small", "medium.en", "medium", "large-v1",
          "large-v2", "large-v3", "large", "large-v3-turbo", "turbo"]

# Arguments of DecodingOptions, with their defaults there.
_DECODING = {"task": "transcribe", "language": None, "sample_len": None, "best_of": None, "beam_size": None,
             "patience": None, "length_penalty": None, "prefix": None, "suppress_tokens": "-1",
             "suppress_blank": True, "without_timestamps": False, "max_initial_timestamp": 1.0, "fp16": True}


def __getattr__(name: str) -> Any:
    if name in ("log_mel_spectrogram", "pad_or_trim", "decode", "DecodingOptions", "DecodingResult",
                "detect_language", "tokenizer", "model", "ModelDimensions"):
        raise AttributeError(f"whisper_npu.whisper has no {name}: the engine keeps spectrograms and tensors to "
                             "itself. Options of decoding are given to transcribe(); WhisperModel has "
                             "detect_language()")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def available_models() -> List[str]:
    return list(_NAMES)


def load_audio(file: str, sr: int = 16000) -> np.ndarray:
    """float32 samples of a file, mono.

    file: a path.
    sr: samples a second.
    """
    return decode_audio(file, sampling_rate=sr)


def load_model(name: str, device: Optional[str] = None, download_root: Optional[str] = None,
               in_memory: bool = False) -> "Whisper":
    """A model, downloaded where it is not here.

    name: a name (`available_models()`), or a path of any format that whisper-npu reads: CTranslate2's, HuggingFace's,
      whisper.cpp's, its own, or OpenAI's (.pt, where a tokenizer lies beside it, or in another model's folder).
    device: None or "auto", "cpu", "npu", "sim"; as of whisper_npu.WhisperModel.
    download_root: the folder of models; None: ~/.cache/whisper-npu.
    in_memory: changes nothing: weights are loaded once.
    """
    return Whisper(WhisperModel(name, device=device or "auto", download_root=download_root))


class Whisper:
    def __init__(self, model: WhisperModel):
        self._model = model

    @property
    def is_multilingual(self) -> bool:
        return self._model.engine.is_multilingual

    @property
    def device(self) -> str:
        return self._model.device

    @property
    def dims(self) -> "_engine.ModelDimensions":
        return self._model.dims

    def transcribe(
        self,
        audio: Union[str, np.ndarray],
        *,
        verbose: Optional[bool] = None,
        temperature: Union[float, Tuple[float, ...]] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        compression_ratio_threshold: Optional[float] = 2.4,
        logprob_threshold: Optional[float] = -1.0,
        no_speech_threshold: Optional[float] = 0.6,
        condition_on_previous_text: bool = True,
        initial_prompt: Optional[str] = None,
        carry_initial_prompt: bool = False,
        word_timestamps: bool = False,
        prepend_punctuations: str = "\"'“¿([{-",
        append_punctuations: str = "\"'.。,，!！?？:：”)]}、",
        clip_timestamps: Union[str, List[float]] = "0",
        hallucination_silence_threshold: Optional[float] = None,
        **decode_options: Any,
    ) -> Dict[str, Any]:
        """text, segments and language, with openai-whisper's keys.

        audio: a path, or samples: mono, 16 kHz.
        verbose: True prints each segment, False shows a bar, None nothing.
        temperature: the first, and those that are tried where the thresholds below are missed.
        compression_ratio_threshold: a text that zlib makes smaller than 1 / this is a loop; None: never.
        logprob_threshold: a mean log-probability below this has failed; None: never.
        no_speech_threshold: a window that failed so, and is silence with more than this probability, is left out.
        condition_on_previous_text: the text of a window is the prompt of the next.
        initial_prompt: a text as if said before the first window, or
        carry_initial_prompt: before every window.
        word_timestamps: with start, end and probability of each word.
        prepend_punctuations: marks that go with the word after them, and
        append_punctuations: with the word before.
        clip_timestamps: "start,end,start,end,...", or such numbers, in seconds.
        hallucination_silence_threshold: with words: text beside a longer silence that is hardly heard is left out.
        decode_options: task ("transcribe", "translate"), language (a code or name; None: detected), sample_len,
          best_of, beam_size, patience, length_penalty, prefix, suppress_tokens, suppress_blank, without_timestamps,
          max_initial_timestamp, fp16 (changes nothing).
        """
        given = {name: value for name, value in locals().items()
                 if name not in ("self", "audio", "verbose", "temperature", "clip_timestamps", "decode_options")}
        options = _options(given, decode_options)
        temperatures = temperature if isinstance(temperature, (list, tuple)) else [temperature]
        set_option(options, "temperatures", list(temperatures), "temperature")
        set_option(options, "clip_timestamps", clips_of(clip_timestamps))
        if not self.is_multilingual and options.language not in ("", "en"):
            warnings.warn(f"the model knows English alone: language {options.language} is taken as en")
        if not self.is_multilingual:
            options.language = "en"
        run = Run(self._model.engine, audio, options, verbose is False)
        segments = []
        for segment in run.segments(lambda found: _as_dict(found, word_timestamps)):
            segments.append(segment)
            if verbose:
                start, end = format_timestamp(segment["start"]), format_timestamp(segment["end"])
                print(f"[{start} --> {end}] {segment['text']}")
        text = "".join(segment["text"] for segment in segments)
        return {"text": text, "segments": segments, "language": run.beginning.language}


def transcribe(model: Whisper, audio: Union[str, np.ndarray], **options: Any) -> Dict[str, Any]:
    return model.transcribe(audio, **options)


def _options(given: Dict[str, Any], decoding: Dict[str, Any]) -> "_engine.TranscribeOptions":
    for name in decoding:
        if name not in _DECODING:
            raise UsageError(f"{name}: expected one of {', '.join(_DECODING)}, found {name}", option=name)
    decoding = {**_DECODING, **decoding}
    decoding.pop("fp16")  # what the CPU computes in was settled when the model was loaded
    options = _engine.TranscribeOptions()
    if decoding["task"] not in ("transcribe", "translate"):
        raise UsageError(f"task: expected transcribe or translate, found {decoding['task']}", option="task")
    options.task = getattr(_engine.Task, decoding.pop("task"))
    suppressed = decoding.pop("suppress_tokens")
    if isinstance(suppressed, str):
        suppressed = [int(token) for token in suppressed.split(",") if token]
    options.suppress_tokens = list(suppressed or [])
    prefix = decoding.pop("prefix")
    refuse_unless(prefix is None or isinstance(prefix, str), "prefix", "a text", prefix)
    # None: as openai-whisper, one beam and one sample.
    empty = {"language": "", "sample_len": 0, "best_of": 1, "beam_size": 1, "patience": 1.0,
             "initial_prompt": ""}
    language = decoding["language"]
    if isinstance(language, str):  # a code or a name, in any case
        decoding["language"] = _engine.find_language(language) or language
    given = {**given, **decoding, "prefix": prefix or ""}
    for name, value in given.items():
        set_option(options, name, empty.get(name) if value is None else value)
    return options


def _as_dict(segment: "_engine.Segment", with_words: bool) -> Dict[str, Any]:
    found = {name: getattr(segment, name) for name in
             ("id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob",
              "compression_ratio", "no_speech_prob")}
    if with_words:
        found["words"] = [{"word": word.text, "start": word.start, "end": word.end,
                           "probability": word.probability} for word in segment.words]
    return found
