"""faster_whisper.transcribe by its name."""

from whisper_npu.batched import BatchedInferencePipeline
from whisper_npu.model import WhisperModel
from whisper_npu.results import Segment, TranscriptionInfo, TranscriptionOptions, VadOptions, Word

__all__ = ["BatchedInferencePipeline", "Segment", "TranscriptionInfo", "TranscriptionOptions", "VadOptions",
           "WhisperModel", "Word"]
