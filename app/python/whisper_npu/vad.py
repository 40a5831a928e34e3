"""faster_whisper.vad by its name: the options alone; speech is found in the engine."""

from whisper_npu.results import VadOptions

__all__ = ["VadOptions"]
