"""Speech recognition with Whisper models: faster-whisper's interface over the engine of whisper-npu.

    from whisper_npu import WhisperModel

    segments, info = WhisperModel("tiny.en").transcribe("talk.wav")
    for segment in segments:
        print(segment.text)

`whisper_npu.whisper` has openai-whisper's interface, `whisper_npu.npu` tells of NPUs, and
`whisper_npu.errors` has what is raised.
"""

from whisper_npu._engine import __version__
from whisper_npu.audio import decode_audio
from whisper_npu.batched import BatchedInferencePipeline
from whisper_npu.errors import Error
from whisper_npu.hub import available_models, download_model
from whisper_npu.model import WhisperModel
from whisper_npu.results import Segment, TranscriptionInfo, TranscriptionOptions, VadOptions, Word
from whisper_npu.timestamp import format_timestamp

__all__ = ["BatchedInferencePipeline", "Error", "Segment", "TranscriptionInfo", "TranscriptionOptions",
           "VadOptions", "WhisperModel", "Word", "__version__", "available_models", "decode_audio",
           "download_model", "format_timestamp"]
