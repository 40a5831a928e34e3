"""How long recordings are, by what their files say of themselves."""

from typing import Any, Optional

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
