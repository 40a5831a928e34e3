"""The adapter for NeMo Curator, without Curator: a stand-in has its protocol as nemo-curator 1.4 publishes it."""
import pathlib
import sys
import types
from dataclasses import dataclass, field
from typing import Any, Optional, Protocol, runtime_checkable

import numpy as np
import pytest

from whisper_npu.curator import WhisperNpuASR
from whisper_npu.errors import Error, ModelError, UnsupportedError, UsageError

FAKE = str(pathlib.Path(__file__).with_name("fake_worker.py"))


@dataclass
class ASRResult:
    text: str
    skipped: bool = False
    skip_reason: Optional[str] = None
    unsupported_language: Optional[str] = None
    extras: dict = field(default_factory=dict)


@runtime_checkable
class ASRAdapter(Protocol):
    model_id: str

    def download_weights_on_node(self) -> None: ...

    def load_model(self, *, num_gpus: int) -> None: ...

    def unload_model(self) -> None: ...

    def transcribe_batch(self, items: list) -> list: ...


@pytest.fixture
def curator(monkeypatch):
    """nemo_curator.models.asr.base"""
    for name in ("nemo_curator", "nemo_curator.models", "nemo_curator.models.asr"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    base = types.ModuleType("nemo_curator.models.asr.base")
    base.ASRResult, base.ASRAdapter = ASRResult, ASRAdapter
    monkeypatch.setitem(sys.modules, "nemo_curator.models.asr.base", base)
    return base


def item(samples, **more) -> dict[str, Any]:
    return {"waveform": samples, "sample_rate": 16000, "language": None, "language_code": None, "task_id": "t", **more}


def adapter(**given):
    """As ASRStage makes and starts it."""
    made = WhisperNpuASR(**{"model_id": "fake", "program": FAKE, **given})
    made.load_model(num_gpus=0)
    return made


def test_it_is_an_adapter(curator):
    made = adapter()
    assert isinstance(made, curator.ASRAdapter)
    sound = np.full(32000, 0.1, np.float32)
    found = made.transcribe_batch([item(sound), item(np.zeros(0, np.float32)), item(sound, language_code="de-DE"),
                                   item(sound, language_code="xx")])
    made.unload_model()
    assert all(type(result) is curator.ASRResult for result in found)
    assert [result.text for result in found] == ["000000.wav at 0", "", "000002.wav at 0", "000003.wav at 0"]
    assert [result.extras.get("language_code") for result in found] == ["en", None, "de", "en"]


def test_without_curator_results_have_its_fields():
    made = adapter()
    [found] = made.transcribe_batch([item(np.ones(16000, np.float32))])
    made.unload_model()
    assert set(vars(found)) == set(ASRResult.__dataclass_fields__) and found.text and not found.skipped


def test_a_failed_row_is_skipped_and_says_why(curator, monkeypatch):
    made = adapter()
    monkeypatch.setattr("whisper_npu.curator._write", lambda path, *_: None)  # the child finds no file
    [found] = made.transcribe_batch([item(np.ones(16000, np.float32))])
    made.unload_model()
    assert found.skipped and found.skip_reason == "audio" and "expected audio" in found.extras["error"]


def test_what_is_refused(curator):
    with pytest.raises(Error, match="load_model"):
        WhisperNpuASR("fake", program=FAKE).transcribe_batch([])
    with pytest.raises(UnsupportedError, match="num_gpus: expected 0, found 1"):
        WhisperNpuASR("fake", program=FAKE).load_model(num_gpus=1)
    with pytest.raises(UsageError):
        WhisperNpuASR("")
    with pytest.raises(ModelError, match="expected one of"):
        WhisperNpuASR("no-such-model").download_weights_on_node()
    made = adapter()
    with pytest.raises(UsageError, match="expected mono samples"):
        made.transcribe_batch([item(np.ones((2, 100), np.float32))])
    made.unload_model()
    made.unload_model()  # as after a failed start


def test_samples_are_heard_as_they_are(tmp_path):
    """16 bits of the file are those of the array."""
    import wave

    from whisper_npu.curator import _write

    samples = np.array([0, 1, -1, 32767, -32768, 12345], np.int16)
    loud = np.append(samples.astype(np.float32) / 32768, [1.5, np.nan]).astype(np.float32)
    _write(str(tmp_path / "a.wav"), loud, 16000)
    with wave.open(str(tmp_path / "a.wav")) as file:
        found = np.frombuffer(file.readframes(100), np.int16)
    assert found.tolist() == [*samples.tolist(), 32767, 0]
