"""Calls as others make them of faster-whisper: what they pass, and what they read of the result."""
import numpy as np
import pytest

from conftest import CACHE
from whisper_npu import BatchedInferencePipeline, WhisperModel, decode_audio
from whisper_npu.utils import download_model


@pytest.fixture
def detector():
    if not (CACHE / "silero_vad" / "silero_vad_16k.safetensors").exists():
        pytest.skip("SKIP: the speech detector was not fetched (app/quickstart.sh)")


def test_as_nemo_curator(jfk, tiny, detector):
    """Curator 1.4 (nemo_curator.models.asr.faster_whisper): weights first, then one waveform after the other."""
    download_model("tiny.en", revision=None)
    model = WhisperModel("tiny.en", device="cpu", compute_type="int8", revision=None)
    waveform = decode_audio(jfk)
    for language in (None, "en"):
        segments, _ = model.transcribe(np.ascontiguousarray(waveform), language=language, beam_size=5,
                                       vad_filter=True, without_timestamps=True)
        text = " ".join(segment.text for segment in segments).strip()
        assert "ask what you can do for your country" in text


def test_as_speaches(jfk, tiny):
    """speaches 0.9 (executors/whisper.py): a pipeline a request, with the stretches that it found itself."""
    model = WhisperModel("tiny.en", device="auto", device_index=0, compute_type="default", cpu_threads=0, num_workers=1)
    samples = decode_audio(jfk)
    segments, info = BatchedInferencePipeline(model=model).transcribe(
        samples, task="transcribe", language=None, initial_prompt=None, word_timestamps=True, temperature=0.0,
        vad_filter=False, clip_timestamps=[{"start": 0.2, "end": 10.9}], hotwords=None, without_timestamps=False)
    segments = list(segments)
    assert info.language == "en" and info.duration == 11 and info.transcription_options.word_timestamps
    assert "country" in "".join(segment.text for segment in segments).strip()
    for segment in segments:
        assert 0.2 <= segment.start < segment.end <= 10.9 + 1e-6
        assert [type(getattr(segment, name)) for name in ("id", "seek", "tokens", "temperature")] == [int, int, list, float]
        assert segment.text == "".join(word.word for word in segment.words)
        assert all(segment.start <= word.start <= word.end <= segment.end for word in segment.words)


def test_a_download_that_is_here(tmp_path, tiny):
    assert download_model("tiny.en") == str(CACHE / "tiny.en")
    assert download_model("tiny.en", output_dir=str(tmp_path / "model")) == str(tmp_path / "model")
    assert {path.name for path in (tmp_path / "model").iterdir()} >= {"model.bin", "config.json", "tokenizer.json"}
    with pytest.raises(ValueError, match="expected one of tiny.en"):
        download_model("huge")


def test_the_hub_is_asked_for_the_rest(monkeypatch, tmp_path):
    """What huggingface_hub is called with; it is not reached here."""
    hub = pytest.importorskip("huggingface_hub")
    asked = {}
    monkeypatch.setattr(hub, "snapshot_download", lambda *names, **options: asked.update(options, name=names) or "/there")
    assert download_model("turbo", output_dir=str(tmp_path), local_files_only=True, revision="v1", use_auth_token="t") == "/there"
    assert asked == {"name": ("mobiuslabsgmbh/faster-whisper-large-v3-turbo",), "local_dir": str(tmp_path), "token": "t",
                     "local_files_only": True, "revision": "v1", "allow_patterns": asked["allow_patterns"]}
    assert "model.bin" in asked["allow_patterns"]
    download_model("someone/their-model", cache_dir="/c")
    assert (asked["name"], asked["cache_dir"]) == (("someone/their-model",), "/c")
