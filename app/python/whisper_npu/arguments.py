"""faster-whisper's arguments as the engine's options. What the engine does not have is refused."""

import os
from dataclasses import fields
from typing import Any, Dict, List, Optional, Union

from whisper_npu import _engine
from whisper_npu.errors import UnsupportedError, UsageError
from whisper_npu.results import TranscriptionOptions, VadOptions

WINDOW_S = 30

# Codes of Whisper's languages, in the order of its tokens' names.
LANGUAGES = (
    "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht "
    "hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps "
    "pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh yue").split()

_VAD_WEIGHTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets", "silero_vad_16k.safetensors")

# That have the same name and meaning in both.
_SAME = ("beam_size best_of patience repetition_penalty no_repeat_ngram_size compression_ratio_threshold "
         "no_speech_threshold condition_on_previous_text suppress_blank without_timestamps "
         "max_initial_timestamp word_timestamps prepend_punctuations append_punctuations "
         "hallucination_silence_threshold language_detection_threshold language_detection_segments "
         "multilingual").split()


# What faster-whisper calls the engine's options that have another name.
FASTER_WHISPER_NAMES = {"logprob_threshold": "log_prob_threshold", "sample_len": "max_new_tokens"}


def set_option(options: Any, name: str, value: Any, argument: Optional[str] = None) -> None:
    try:
        setattr(options, name, value)
    except TypeError as error:
        if isinstance(value, str) and not _is_utf8(value):
            raise UsageError(f"{argument or name}: expected text without lone surrogates, found {value!r}",
                             option=argument or name) from error
        raise TypeError(f"{argument or name}: expected another type, found {value!r}") from error


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_unless(condition: bool, argument: str, expected: str, found: Any) -> None:
    if not condition:
        raise UnsupportedError(f"{argument}: expected {expected}, found {found!r}", option=argument)


def length_penalty_of(exponent: float) -> Optional[float]:
    """CTranslate2 divides by length ** exponent, the engine by Google's formula or by the length."""
    refuse_unless(exponent in (0, 1), "length_penalty",
                  "1 (the mean of the tokens) or 0 (their sum)", exponent)
    return None if exponent == 1 else 0.0


def temperatures_of(temperature: Any) -> List[float]:
    given = list(temperature) if isinstance(temperature, (list, tuple)) else [temperature]
    if not given:
        raise UsageError("temperature: expected at least one, found none", option="temperature")
    return given


def engine_options(arguments: Dict[str, Any]) -> "_engine.TranscribeOptions":
    """Of all arguments but `audio`, `log_progress`, those of speech detection, and clips."""
    refuse_unless(arguments["chunk_length"] in (None, WINDOW_S), "chunk_length",
                  f"{WINDOW_S}, the window that the model was made for", arguments["chunk_length"])
    conditions = arguments["condition_on_previous_text"]
    refuse_unless(arguments["prompt_reset_on_temperature"] == 0.5 or not conditions,
                  "prompt_reset_on_temperature", "0.5, as openai-whisper has it",
                  arguments["prompt_reset_on_temperature"])
    prompt = arguments["initial_prompt"]
    refuse_unless(prompt is None or isinstance(prompt, str), "initial_prompt", "a text", prompt)
    if arguments["task"] not in ("transcribe", "translate"):
        raise UsageError(f"task: expected transcribe or translate, found {arguments['task']}", option="task")

    options = _engine.TranscribeOptions()
    for name in _SAME:
        set_option(options, name, arguments[name])
    set_option(options, "logprob_threshold", arguments["log_prob_threshold"], "log_prob_threshold")
    set_option(options, "temperatures", temperatures_of(arguments["temperature"]), "temperature")
    set_option(options, "language", arguments["language"] or "")
    options.task = getattr(_engine.Task, arguments["task"])
    options.length_penalty = length_penalty_of(arguments["length_penalty"])
    set_option(options, "initial_prompt", prompt or "")
    set_option(options, "prefix", arguments["prefix"] or "")
    # faster-whisper: no effect beside a prefix.
    set_option(options, "hotwords", "" if arguments["prefix"] else arguments["hotwords"] or "")
    set_option(options, "suppress_tokens", list(arguments["suppress_tokens"] or []))
    set_option(options, "sample_len", arguments["max_new_tokens"] or 0, "max_new_tokens")
    set_speakers(options, arguments.get("channels", "mix"), arguments.get("speakers"),
                 arguments.get("speaker_names"))
    return options


def set_speakers(options: "_engine.TranscribeOptions", channels: str, speakers: Any,
                 names: Optional[Dict[str, str]]) -> None:
    """Arguments `channels`, `speakers`, `speaker_names` of transcribe()."""
    if channels not in ("mix", "separate"):
        raise UsageError(f"channels: expected mix or separate, found {channels}", option="channels")
    options.channels = getattr(_engine.Channels, channels)
    wanted = options.speakers
    wanted.enabled = speakers is not None
    if speakers not in (None, "auto"):
        least, most = speakers if isinstance(speakers, (list, tuple)) else (speakers, speakers)
        set_option(wanted, "min", least, "speakers")
        set_option(wanted, "max", most, "speakers")
    set_option(wanted, "names", [(str(key), name) for key, name in (names or {}).items()], "speaker_names")
    options.speakers = wanted


def vad_of(parameters: Optional[Union[dict, VadOptions]], **defaults: Any) -> VadOptions:
    if parameters is None:
        return VadOptions(**defaults)
    return VadOptions(**parameters) if isinstance(parameters, dict) else parameters


def vad_weights() -> str:
    """The detector's: those inside the wheel, else where `whisper-npu models pull silero-vad` puts them."""
    return _VAD_WEIGHTS if os.path.isfile(_VAD_WEIGHTS) else _engine.vad_weights_file()


def engine_vad(vad: VadOptions) -> "_engine.VadOptions":
    found = _engine.VadOptions()
    found.enabled = True
    found.weights = vad_weights()
    for field in fields(VadOptions):
        value = getattr(vad, field.name)
        if field.name == "max_speech_duration_s" and value == float("inf"):
            value = None
        set_option(found, field.name, value, f"vad_parameters.{field.name}")
    return found


def clips_of(clip_timestamps: Union[str, List[float]]) -> List[float]:
    """Of "start,end,start,end,...", or of such numbers."""
    if not isinstance(clip_timestamps, str):
        return list(clip_timestamps)
    try:
        return [float(number) for number in clip_timestamps.split(",")] if clip_timestamps else []
    except ValueError as error:
        raise UsageError(f"clip_timestamps: expected seconds, found {clip_timestamps!r}",
                         option="clip_timestamps") from error


def said_options(arguments: Dict[str, Any], **changes: Any) -> TranscriptionOptions:
    """For TranscriptionInfo: what was asked for."""
    said = {field.name: arguments.get(field.name) for field in fields(TranscriptionOptions)}
    said["temperatures"] = temperatures_of(arguments["temperature"])
    said.update(changes)
    return TranscriptionOptions(**said)
