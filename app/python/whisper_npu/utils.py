"""faster_whisper.utils by its name."""

from whisper_npu.hub import available_models, download_model
from whisper_npu.timestamp import format_timestamp

__all__ = ["available_models", "download_model", "format_timestamp"]
