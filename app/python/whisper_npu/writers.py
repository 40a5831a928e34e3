"""openai-whisper's writers: results as files, in the program's own formats."""

import json
import os
from dataclasses import asdict, is_dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Union

from whisper_npu import _engine
from whisper_npu.audio import name_of
from whisper_npu.errors import OutputError, UsageError
from whisper_npu.results import Segment

# openai-whisper's, in its order, are what "all" writes.
_ALL = ("txt", "vtt", "srt", "tsv", "json")
FORMATS = (*_ALL, "lrc", "csv")
_LAYOUT = ("max_line_width", "max_line_count", "highlight_words", "max_words_per_line", "subtitle_rules")
Result = Union[Dict[str, Any], Iterable[Segment]]


def get_writer(output_format: str, output_dir: str) -> Callable[..., None]:
    """A function of (result, audio_path, options=None, **options) that writes output_dir/NAME OF THE AUDIO.FORMAT.

    output_format: "txt", "vtt", "srt", "tsv", "json", "lrc", "csv", or "all" for openai-whisper's five.
    output_dir: a folder that is there. A file of that name is replaced, and never by a part of another.

    result: of `whisper_npu.whisper`, or segments of `WhisperModel.transcribe`.
    options: a dictionary, or by name: max_line_width, max_line_count, max_words_per_line, highlight_words; all need
      word_timestamps=True where the result is made. Instead of them subtitle_rules: "netflix", "bbc", "plain", or the
      path of a TOML file with rules.
    """
    if output_format not in (*FORMATS, "all"):
        raise UsageError(f"output_format: expected one of {', '.join(FORMATS)}, all, found {output_format}",
                         option="output_format")
    formats = _ALL if output_format == "all" else (output_format,)

    def write(result: Result, audio_path: str, options: Optional[Dict[str, Any]] = None, **more: Any) -> None:
        found = _as_dict(result)
        stem = os.path.splitext(os.path.basename(name_of(audio_path)))[0]
        for name in formats:
            path = os.path.join(output_dir, f"{stem}.{name}")
            if os.path.exists(path) and os.path.exists(audio_path) and os.path.samefile(path, audio_path):
                raise OutputError(f"{path}: expected another file than the recording, found it", path=path)
            _engine.write_file(path, _text(found, name, {**(options or {}), **more}))

    return write


def _as_dict(result: Result) -> Dict[str, Any]:
    if isinstance(result, dict):
        return result
    segments = [asdict(each) if is_dataclass(each) else each for each in result]
    return {"text": "".join(each["text"] for each in segments), "segments": segments}


def _text(result: Dict[str, Any], name: str, options: Dict[str, Any]) -> str:
    layout = _engine.SubtitleLayout()
    for option, value in options.items():
        if option not in _LAYOUT:
            raise UsageError(f"{option}: expected one of {', '.join(_LAYOUT)}, found {option}", option=option)
        if value is not None:
            setattr(layout, option, value)
    if layout.subtitle_rules != "plain" and any(options.get(other) for other in _LAYOUT if other != "subtitle_rules"):
        raise UsageError("subtitle_rules: expected no other option of lines beside it, found one", option="subtitle_rules")
    if name == "json":
        return json.dumps(result)
    return _engine.formatted(name, _segments(result), layout, result.get("language") or "")


def _segments(result: Dict[str, Any]) -> List["_engine.Segment"]:
    return [_engine.Segment(each["text"], each["start"], each["end"],
                            [_engine.Word(word["word"], word["start"], word["end"], word["probability"])
                             for word in each.get("words") or []], each.get("speaker") or "")
            for each in result["segments"]]
