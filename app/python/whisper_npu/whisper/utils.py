"""whisper.utils by its name."""

from whisper_npu.timestamp import format_timestamp
from whisper_npu.writers import get_writer

__all__ = ["format_timestamp", "get_writer"]
