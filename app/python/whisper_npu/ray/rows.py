"""A manifest's rows before any work: what is wrong with them, their ids, the order and packing of their work."""

import hashlib
import math
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple
from urllib.parse import unquote, urlsplit

from whisper_npu.errors import UsageError

_MOST_SECONDS = 1e8
_NAMED = 5  # duplicates in a message
# Tasks of an actor, where there are rows enough: so little is at work when it is lost. Of few actors more, which costs
# the head nothing that counts.
_TASKS = 32
_TASKS_OF_FEW = 128
_TASKS_OF_ALL_FEW = 4096


def fault_of(row: Dict[str, Any]) -> Optional[str]:
    """What the worker would say of it; None: it can be worked on."""
    audio = row.get("audio_filepath")
    if audio is not None and not isinstance(audio, str):
        return f"audio_filepath: expected a text, found {_found(audio)}"
    if not audio:
        return "audio_filepath: expected a path, found none"
    if "\0" in audio:
        return "audio_filepath: expected the path of a file, found a zero byte in it"
    for name, least in (("offset", "from 0 on"), ("duration", "above 0")):
        value = row.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is None:
            continue
        if not is_number or not 0 <= value <= _MOST_SECONDS or (name == "duration" and value == 0):
            return f"{name}: expected seconds {least}, found {_found(value)}"
    for name in ("lang", "text"):
        if row.get(name) is not None and not isinstance(row[name], str):
            return f"{name}: expected a text, found {_found(row[name])}"
    found_id = row.get("id")
    if found_id is not None and (isinstance(found_id, bool) or not isinstance(found_id, (str, int, float))):
        return f"id: expected a text or a number, found {_found(found_id)}"
    return None


def _found(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + "..."


def id_of(row: Dict[str, Any], position: int) -> str:
    """Its own, else one by which the same stretch of the same audio is known again."""
    found = row.get("id")
    if isinstance(found, (str, int, float)) and not isinstance(found, bool):
        return str(found)
    if fault_of(row) is not None:
        return f"row-{position}"
    duration = row.get("duration")
    length = "" if duration is None else f"{duration:.6f}"
    stretch = f"{row['audio_filepath']}\n{row.get('offset') or 0:.6f}\n{length}"
    return hashlib.sha256(stretch.encode(errors="surrogatepass")).hexdigest()[:16]


def refuse_duplicates(ids: Iterable[str]) -> None:
    seen: Dict[str, int] = {}
    twice = []
    for position, found in enumerate(ids, 1):
        first = seen.setdefault(found, position)
        if first != position:
            twice.append(f"{found} (rows {first} and {position})")
    if twice:
        more = f" and {len(twice) - _NAMED} more" if len(twice) > _NAMED else ""
        raise UsageError(f"id: expected each once, found twice: {', '.join(twice[:_NAMED])}{more}", option="id")


def absolute(audio: str, folder: str) -> str:
    """Of a relative path, below a folder, which may be a URI itself; others as they are."""
    if "://" in audio or os.path.isabs(audio) or not audio:
        return audio
    return folder.rstrip("/") + "/" + audio


def local_path(audio: str) -> Optional[str]:
    """The path that `audio_filepath` names on this machine; None: it is elsewhere."""
    if "://" not in audio:
        return audio
    parts = urlsplit(audio)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    return None


def longest_first(seconds: Sequence[Optional[float]]) -> List[int]:
    """Row numbers; equals, and rows of which nobody knows how long they are, as they came."""
    return sorted(range(len(seconds)), key=lambda i: -(seconds[i] or 0.0))


def packed(seconds: Sequence[Optional[float]], order: Sequence[int], most_seconds: float,
           most_rows: int, unknown: float = 30.0) -> List[List[int]]:
    """Rows in tasks: of at most so much audio and so many rows, a longer row alone."""
    tasks: List[List[int]] = []
    filled = math.inf
    for row in order:
        audio = unknown if seconds[row] is None else seconds[row]
        if not tasks or filled + audio > most_seconds or len(tasks[-1]) == most_rows:
            tasks.append([])
            filled = 0.0
        tasks[-1].append(row)
        filled += audio
    return tasks


def task_size(seconds: Sequence[Optional[float]], actors: int, batch_seconds: float,
              batch_size: int) -> Tuple[float, int]:
    """Audio and rows of a task, two of which are with an actor: some batches; where there is too little for all
    actors to have many tasks, half a batch at least."""
    of_all = sum(30.0 if audio is None else audio for audio in seconds)
    shares = max(_TASKS * actors, min(_TASKS_OF_FEW * actors, _TASKS_OF_ALL_FEW), 1)
    return (min(4 * batch_seconds, max(batch_seconds / 2, of_all / shares)),
            min(256, max(batch_size // 2, len(seconds) // shares, 1)))
