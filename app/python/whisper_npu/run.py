"""A transcription at work: the engine's, kept until it is over or stopped."""

import atexit
import logging
import os
import threading
import weakref
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from whisper_npu import _engine
from whisper_npu.audio import decode_int16, name_of
from whisper_npu.errors import LibraryError, StoppedError, UsageError, renamed

# True: a bar of tqdm; a function is given the seconds that are done and how many there are.
Progress = Union[bool, Callable[[float, float], Any]]

logger = logging.getLogger("whisper_npu")
_running: "weakref.WeakValueDictionary[int, Run]" = weakref.WeakValueDictionary()
_is_ending = False  # the interpreter


class Run:
    """Begins at once, and waits for the first segment to be asked for before it decodes any.

    `text`: segments that are aligned; none: the audio is transcribed.
    `names`: what the caller calls options that are refused, where it is not the engine's name.
    """

    def __init__(self, model: "_engine.Model", audio: Any, options: "_engine.TranscribeOptions",
                 progress: Progress = False, names: Optional[Mapping[str, str]] = None, text: Sequence[str] = ()):
        try:
            model.check(options)
        except UsageError as error:
            if names and error.option in names:
                raise renamed(error, names[error.option]) from None
            raise
        self._progress = progress
        self._text = list(text)
        self._name = name_of(audio)
        self.is_empty = isinstance(audio, np.ndarray) and audio.size == 0
        source = _source(audio)
        try:
            self._begin(model, source, options)
        except LibraryError:  # the system has no FFmpeg; PyAV brings its own
            samples = decode_int16(audio if isinstance(source, str) else source)
            self._begin(model, _heard(samples), options)

    def _begin(self, model: "_engine.Model", source: Any, options: Any) -> None:
        self._work = _engine.Transcription(model, source, options, bool(self._progress), self._text)
        _running[id(self)] = self
        try:
            if _is_ending and threading.current_thread() is not threading.main_thread():
                raise StoppedError("stopped: the interpreter is ending")
            self.beginning: _engine.Beginning = self._work.beginning()
        except BaseException as error:
            self.close()
            self._name_in(error)
            raise

    def _name_in(self, error: BaseException) -> None:
        if getattr(error, "path", None) == "memory":
            error.path = self._name  # type: ignore[attr-defined]

    def close(self) -> None:
        """Stops the work, and returns when it has stopped."""
        self._work.close()

    def segments(self, make: Callable[["_engine.Segment"], Any]) -> Iterator[Any]:
        """What `make` makes of each segment, as soon as it is decoded. Closing this stops the work."""
        bar = _Bar(self._progress, self.beginning.duration)
        try:
            while (event := self._work.next()) is not None:
                if isinstance(event, _engine.Progress):
                    bar.show(event.done_s, event.total_s)
                else:
                    yield make(event)
            for warning in self._work.warnings:
                logger.warning("%s: %s", self._name, warning)
        except Exception as error:
            self._name_in(error)
            raise
        finally:
            self.close()
            bar.close()


class _Bar:
    def __init__(self, progress: Progress, total_s: float):
        self._call = progress if callable(progress) else None
        self._bar: Any = None
        if progress and self._call is None:
            from tqdm import tqdm

            self._bar = tqdm(total=round(total_s, 2), unit="s", unit_scale=False)

    def show(self, done_s: float, total_s: float) -> None:
        if self._call is not None:
            self._call(done_s, total_s)
        if self._bar is not None:
            self._bar.update(round(done_s, 2) - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _source(audio: Any) -> Union[str, bytes, np.ndarray]:
    """What the engine reads itself."""
    if isinstance(audio, np.ndarray):
        return _heard(audio)
    if isinstance(audio, (str, os.PathLike)):
        return os.fsdecode(audio)
    if hasattr(audio, "read"):
        content = audio.read()
        if not isinstance(content, bytes):
            raise TypeError(f"audio: expected a file opened in binary mode, found {type(content).__name__}")
        return content
    raise TypeError(f"audio: expected a path, a binary file or a numpy array, found {type(audio).__name__}")


def _heard(samples: np.ndarray) -> np.ndarray:
    """float32 and int16 as they are; of nothing, one sample of silence."""
    if samples.ndim != 1:
        raise ValueError(f"audio: expected one dimension (mono, 16 kHz), found shape {samples.shape}")
    if samples.dtype == np.float64 or samples.dtype == np.float16:
        samples = samples.astype(np.float32)
    if samples.dtype not in (np.float32, np.int16):
        raise TypeError(f"audio: expected float32 or int16, found {samples.dtype}")
    return np.ascontiguousarray(samples) if samples.size else np.zeros(1, samples.dtype)


def _stop_all() -> None:
    """No thread of the engine outlives the interpreter. Daemon threads may begin others meanwhile."""
    global _is_ending
    _is_ending = True
    for reference in _running.valuerefs():
        run = reference()
        if run is not None:
            run.close()


def _forget_all() -> None:
    _running.clear()


atexit.register(_stop_all)
os.register_at_fork(after_in_child=_forget_all)
