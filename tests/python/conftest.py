"""What the tests of the Python package share."""
import os
import pathlib
import subprocess

import pytest

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "whisper-npu"
# Recordings that are not the project's to pass on.
SHARED = pathlib.Path(os.environ.get("WNPU_SHARED", pathlib.Path(__file__).parents[3] / "shared")) / "corpus"


@pytest.fixture(scope="session")
def program():
    """The command line of the same build."""
    return os.environ["WNPU_PROGRAM"]


@pytest.fixture(scope="session")
def nano(tmp_path_factory):
    """A folder with a small model of random weights, `model`, and 3 s of sound, `tone.wav`."""
    folder = tmp_path_factory.mktemp("nano")
    subprocess.run([os.environ["WNPU_WRITE_NANO_MODEL"], folder], check=True)
    return folder


@pytest.fixture(scope="session")
def nano_model(nano):
    from whisper_npu import WhisperModel

    return WhisperModel(str(nano / "model"), device="cpu", compute_type="float32", cpu_threads=1)


@pytest.fixture(scope="session")
def jfk():
    path = CACHE / "samples" / "jfk.wav"
    if not path.exists():
        pytest.skip("SKIP: jfk.wav was not fetched (app/quickstart.sh)")
    return str(path)


@pytest.fixture(scope="session")
def tiny():
    from whisper_npu import WhisperModel

    if not (CACHE / "tiny.en" / "model.bin").exists():
        pytest.skip("SKIP: tiny.en was not fetched (app/quickstart.sh)")
    return WhisperModel("tiny.en", device="cpu", cpu_threads=2)


@pytest.fixture
def noise():
    """40 s in which the small model says something."""
    import numpy as np

    return np.random.default_rng(4).normal(0, 0.3, 40 * 16000).clip(-1, 1).astype(np.float32)


# With which the small model is quick.
QUICK = {"language": "en", "beam_size": 2, "temperature": 0.0, "max_new_tokens": 12, "no_speech_threshold": None}
