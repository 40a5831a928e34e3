"""faster_whisper.utils by its name, with openai-whisper's get_writer."""

from whisper_npu.hub import available_models, download_model
from whisper_npu.timestamp import format_timestamp
from whisper_npu.writers import get_writer

__all__ = ["available_models", "download_model", "format_timestamp", "get_writer"]
