"""What cannot be done is raised as an `Error` of this module.

Every error has `code`, the number that the program of the same name exits with, and, as far as the
message tells them, `path` (of the recording or model), `option`, `expected` and `found`.
"""

import os
import re
from typing import Any, Optional, Type

_SHAPE = re.compile(r"^(?:(?P<subject>.+?): )?expected (?P<expected>.+), found:? (?P<found>.+)$", re.S)


class Error(RuntimeError):
    """Base of all errors of the engine."""

    code: int = 70

    def __init__(self, message: str = "", *, option: Optional[str] = None, path: Optional[str] = None):
        shape = _SHAPE.match(message)
        message = message.encode(errors="backslashreplace").decode()  # of a path whose name is no UTF-8
        super().__init__(message)
        subject = shape["subject"] if shape else None
        self.message: str = message
        self.option: Optional[str] = option
        self.expected: Optional[str] = shape["expected"] if shape else None
        self.found: Optional[str] = shape["found"] if shape else None
        self.path: Optional[str] = path if path is not None else (None if option else subject)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        return _again, (type(self), self.message, self.option, self.path)


class UsageError(Error, ValueError):
    """Arguments that make no sense, or that the model cannot serve."""

    code = 2


class UnsupportedError(UsageError, NotImplementedError):
    """An argument that faster-whisper or openai-whisper takes, and this engine does not."""


class ModelError(Error):
    """A model that is missing, damaged or not what it claims."""

    code = 3


class AudioError(Error):
    """A recording that cannot be read."""

    code = 4


class AudioNotFoundError(AudioError, FileNotFoundError):
    """A recording that is not there."""


class DeviceError(Error):
    """A device that was asked for and cannot be used."""

    code = 5


class OutputError(Error):
    """A file that cannot be written."""

    code = 6


class ResourceError(Error, MemoryError):
    """Not enough memory, or no more threads or open files."""

    code = 7


class LibraryError(Error):
    """The recording needs a library that is not installed."""

    code = 8


class StoppedError(Error):
    """Stopped before anything was decoded."""

    code = 130


_CLASSES = (UsageError, ModelError, AudioError, DeviceError, OutputError, ResourceError, LibraryError,
            StoppedError)
_BY_CODE = {of_code.code: of_code for of_code in _CLASSES}


def _again(of_class: Type[Error], message: str, option: Optional[str], path: Optional[str]) -> Error:
    return of_class(message, option=option, path=path)


def renamed(error: Error, option: str) -> Error:
    """The same about an option by the name that the caller knows it by."""
    return type(error)(option + error.message[len(error.option or ""):], option=option)


def from_engine(code: int, message: str, option: str) -> Error:
    """The exception for an error of the engine: called by `_engine`. A path's bytes are as os.fsdecode() has them."""
    error = _BY_CODE.get(code, Error)(message, option=option or None)
    if option == "temperatures":
        return renamed(error, "temperature")
    if option.startswith("speakers."):
        return renamed(error, "speaker_names" if option == "speakers.names" else "speakers")
    if option.startswith("vad."):
        return renamed(error, "vad_parameters." + option[len("vad."):])
    if isinstance(error, AudioError) and error.path and not os.path.exists(error.path):
        if os.path.isabs(error.path) or os.sep in error.path or error.path != "memory":
            return AudioNotFoundError(message, path=error.path)
    return error
