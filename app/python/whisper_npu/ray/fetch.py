"""Audio that is elsewhere, on this machine for as long as it is worked on."""

import atexit
import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
import time
import urllib.request
from typing import IO, Any, Iterator, List, Optional, Tuple
from urllib.parse import unquote, urlsplit

from whisper_npu.errors import AudioError
from whisper_npu.ray.rows import local_path

_CHUNK = 1 << 20
_PREFIX = "whisper-npu-ray-"
_locks: List[Optional[IO[str]]] = []


@contextlib.contextmanager
def fetched(audio: str, attempts: int = 2) -> Iterator[str]:
    """The path of a local file: of the row itself, or of a copy that is removed afterwards."""
    path = local_path(audio)
    if path is not None:
        yield path
        return
    with temporary_folder() as folder:
        copy = os.path.join(folder, os.path.basename(unquote(urlsplit(audio).path))[-100:] or "audio")
        _copy(audio, copy, attempts)
        yield copy


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """An empty folder in this process's, removed afterwards."""
    with tempfile.TemporaryDirectory(dir=_folder_of(os.getpid())) as path:
        yield path


@functools.lru_cache(maxsize=1)
def _folder_of(process: int) -> str:
    """Locked for as long as the process lives; what is not locked was left by one that was killed, and is removed."""
    everything = tempfile.gettempdir()
    # One process after another: nobody takes a folder for left that is not locked yet.
    with open(os.path.join(everything, f"{_PREFIX}{os.getuid()}.lock"), "w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        for name in os.listdir(everything):
            path = os.path.join(everything, name)
            if name.startswith(_PREFIX) and os.path.isdir(path) and _lock(path) is not None:
                shutil.rmtree(path, ignore_errors=True)
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        _locks.append(_lock(folder))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _lock(folder: str) -> Optional[IO[str]]:
    """None: another process has it, or another user's folder."""
    try:
        file = open(os.path.join(folder, "lock"), "w")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return file


def _copy(audio: str, copy: str, attempts: int) -> None:
    for attempt in range(1, attempts + 1):
        try:
            with opened(audio) as source, open(copy, "wb") as target:
                shutil.copyfileobj(source, target, _CHUNK)
            return
        except FileNotFoundError as error:
            raise AudioError(f"{audio}: expected a recording, found no such file", path=audio) from error
        except Exception as error:  # of pyarrow's and urllib's many
            if attempt == attempts or isinstance(error, AudioError):
                raise AudioError(f"{audio}: expected a recording, found {type(error).__name__}: {error}",
                                 path=audio) from error
            time.sleep(attempt)


def opened(audio: str) -> Any:
    """A binary file of a URI, or of a path."""
    path = local_path(audio)
    if path is not None:
        return open(path, "rb")
    if urlsplit(audio).scheme in ("http", "https"):
        return contextlib.closing(urllib.request.urlopen(audio, timeout=60))
    filesystem, path = filesystem_of(audio)
    return filesystem.open_input_file(path)


def filesystem_of(uri: str) -> Tuple[Any, str]:
    """pyarrow's file system and the path in it, of a path or URI ("s3://bucket/name", "gs://...", "file:///...")."""
    from pyarrow import fs

    path = local_path(uri)
    if path is not None:
        return fs.LocalFileSystem(), os.path.abspath(path)
    return fs.FileSystem.from_uri(uri)
