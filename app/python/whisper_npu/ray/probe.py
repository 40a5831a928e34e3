"""How long recordings are, by what their files say of themselves."""

from typing import Any, Optional

import pyarrow as pa

from whisper_npu.ray.fetch import opened


def seconds_of_file(file: Any) -> Optional[float]:
    """Of a path or a binary file; None: it does not say, or is no recording."""
    import av

    try:
        with av.open(file, mode="r", metadata_errors="ignore") as container:
            stream = container.streams.audio[0] if container.streams.audio else None
            if stream is not None and stream.duration and stream.time_base:
                return float(stream.duration * stream.time_base)
            return container.duration / av.time_base if container.duration else None
    except (av.error.FFmpegError, OSError, ValueError):
        return None


def seconds_of_audio(audio: str, offset: float = 0.0) -> Optional[float]:
    try:
        with opened(audio) as file:
            seconds = seconds_of_file(file)
    except Exception:  # of pyarrow's and urllib's many; the row says it when it is its turn
        return None
    return None if seconds is None else max(0.0, seconds - offset)


def with_seconds(table: pa.Table) -> pa.Table:
    """`_seconds` of the rows that have none."""
    names = [name for name in ("_audio", "offset", "_seconds", "_fault") if name in table.column_names]
    found = [row["_seconds"] if row["_seconds"] is not None or row["_fault"] is not None
             else seconds_of_audio(row["_audio"], row.get("offset") or 0.0)
             for row in table.select(names).to_pylist()]
    return table.set_column(table.column_names.index("_seconds"), "_seconds", pa.array(found, pa.float64()))
