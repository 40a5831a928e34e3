"""An ASR adapter for NeMo Curator's `ASRStage` (its protocol `ASRAdapter`, nemo-curator 1.4).

    ASRStage(adapter_target="whisper_npu.curator.WhisperNpuASR", model_id="large-v3",
             adapter_kwargs={"threads": 4}, resources=Resources(cpus=4), batch_size=32)

The engine is in a child process, so that audio which kills it is a skipped row and not the stage's end.
"""

import math
import os
import tempfile
import wave
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from whisper_npu.arguments import LANGUAGES
from whisper_npu.errors import Error, ModelError, UnsupportedError, UsageError
from whisper_npu.hub import download_model, find_model
from whisper_npu.worker import Worker
from whisper_npu.worker_settings import WorkerSettings

# Codes by which Curator, ISO 639 and Java know languages that Whisper calls otherwise.
_OTHER_CODES = {"fil": "tl", "in": "id", "iw": "he", "ji": "yi", "jv": "jw", "nb": "no", "cmn": "zh"}


@dataclass
class WhisperNpuASR:
    """Of a row that fails, the result is skipped, with the error's code as its reason and its message in `extras`."""

    model_id: str
    revision: Optional[str] = None
    threads: int = 2
    batch_seconds: float = 240
    batch_size: int = 8
    max_attempts: int = 2
    options: Sequence[str] = ()  # more words for `whisper-npu worker`: ("--beam-size", "1")
    program: Optional[str] = None
    _worker: Optional[Worker] = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.model_id:
            raise UsageError("model_id: expected a name or path, found none", option="model_id")

    def download_weights_on_node(self) -> None:
        """Fetches the model where it is not there."""
        if os.path.exists(self.model_id):
            return
        try:
            download_model(self.model_id, revision=self.revision)
        except ValueError as error:
            raise ModelError(str(error), path=self.model_id) from error

    def load_model(self, *, num_gpus: int) -> None:
        """Starts the child; it reads the model for the first rows."""
        if num_gpus:
            raise UnsupportedError(f"num_gpus: expected 0, found {num_gpus}: NPUs and CPUs alone", option="num_gpus")
        if self._worker is None:
            model = find_model(self.model_id, local_files_only=True, revision=self.revision)
            self._worker = Worker(WorkerSettings(
                model=model, threads=self.threads, batch_seconds=self.batch_seconds, batch_size=self.batch_size,
                max_attempts=self.max_attempts, options=tuple(self.options), program=self.program))

    def unload_model(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def transcribe_batch(self, items: List[Dict[str, Any]]) -> List[Any]:
        """A result for each item, in order."""
        if self._worker is None:
            raise Error("expected load_model() first, found that it was not called")
        with tempfile.TemporaryDirectory(prefix="whisper-npu-curator-") as folder:
            rows = [self._row(item, os.path.join(folder, f"{i:06}.wav")) for i, item in enumerate(items)]
            futures = [row and self._worker.submit(row, row["seconds"]) for row in rows]
            return [_result(future.result()) if future else _result_class()(text="") for future in futures]

    @staticmethod
    def _row(item: Dict[str, Any], path: str) -> Optional[Dict[str, Any]]:
        """A recording in a file of its own, as the child reads it; None: there is nothing in it."""
        samples = np.asarray(item.get("waveform"), dtype=np.float32)
        rate = int(item.get("sample_rate") or 0)
        if samples.ndim != 1 or rate < 1:
            raise UsageError(f"waveform: expected mono samples and their rate, found shape {samples.shape} at "
                             f"{rate} Hz", option="waveform")
        if not samples.size:
            return None
        _write(path, samples, rate)
        row = {"audio_filepath": path, "seconds": samples.size / rate}
        language = _language_of(item.get("language_code"))
        return {**row, "lang": language} if language else row


def _language_of(code: Any) -> str:
    """What Whisper calls it; what it does not know is detected."""
    known = str(code or "").strip().lower().replace("_", "-").split("-")[0]
    known = _OTHER_CODES.get(known, known)
    return known if known in LANGUAGES else ""


def _write(path: str, samples: np.ndarray, rate: int) -> None:
    """WAV of 16 bits, in the steps that `decode_audio` has."""
    if not math.isfinite(float(samples.sum())):
        samples = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((samples * 32768).round().clip(-32768, 32767).astype("<i2").tobytes())


def _result_class() -> Any:
    """Curator's own, which is there where this is used; else one with its fields."""
    try:
        from nemo_curator.models.asr.base import ASRResult

        return ASRResult
    except ImportError:
        return _ASRResult


class _ASRResult(SimpleNamespace):
    def __init__(self, text: str, **more: Any):
        super().__init__(**{"text": text, "skipped": False, "skip_reason": None, "unsupported_language": None,
                            "extras": {}, **more})


def _result(answer: Dict[str, Any]) -> Any:
    attempts = {"attempts": answer["attempts"]}
    if answer["status"] != "ok":
        return _result_class()(text="", skipped=True, skip_reason=answer["error"]["code"],
                               extras={**attempts, "error": answer["error"]["message"]})
    said = {name: answer.get(name) for name in ("segments", "words", "model_sha256", "options_sha256")}
    extras = {"language_code": answer.get("language"), **attempts,
              **{name: value for name, value in said.items() if value is not None}}
    return _result_class()(text=answer["pred_text"], extras=extras)
