"""Many recordings on a Ray cluster: `transcribe` for Ray Data, `python -m whisper_npu.ray IN OUT` for files."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whisper_npu.ray.dataset import transcribe

__all__ = ["transcribe"]


def __getattr__(name: str) -> Any:
    """Not before it is asked for: it needs pyarrow, which comes with Ray."""
    if name == "transcribe":
        from whisper_npu.ray.dataset import transcribe

        return transcribe
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
