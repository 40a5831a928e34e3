"""Models by their names: the rules and the downloads of the program, without huggingface_hub."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "program"))
from conftest import CACHE, QUICK  # noqa: E402
from lying_server import LyingServer, files_of_model  # noqa: E402
from whisper_npu import WhisperModel, download_model, whisper  # noqa: E402
from whisper_npu.errors import DeviceError, ModelError, UnsupportedError, UsageError  # noqa: E402

# None of its files has a published SHA-256, so that a small model can stand in for it.
NAME, ID = "distil-large-v2", "Systran/faster-distil-whisper-large-v2"


@pytest.fixture(scope="module")
def server(nano):
    return LyingServer(files_of_model(nano / "model"), lambda path: ID in path)


@pytest.fixture
def hub(server, monkeypatch, tmp_path):
    """The hub that stands in for the real one, an empty cache, and no huggingface_hub."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("WHISPER_NPU_HUB", server.url)
    monkeypatch.setenv("WNPU_HUB_TIMES", "2:1:20")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    server.requests.clear()
    server.lies = None
    server.cache = tmp_path / "whisper-npu"
    return server


def text_of(model, noise):
    return [segment.text for segment in model.transcribe(noise[:160000], **QUICK)[0]]


@pytest.mark.parametrize("name", [NAME, ID])
def test_a_name_is_downloaded_once(hub, name, noise, nano_model, capfd):
    model = WhisperModel(name, device="cpu", compute_type="float32", cpu_threads=1)
    assert text_of(model, noise) == text_of(nano_model, noise) != []
    assert model.engine.path == str(hub.cache / NAME)
    assert f"pulling {NAME}: " in capfd.readouterr().err
    n_requests = len(hub.requests)
    assert n_requests > 2
    for other in (NAME, ID):
        assert WhisperModel(other, local_files_only=True).engine.path == model.engine.path
        assert whisper.load_model(other).device
        assert download_model(other) == model.engine.path
    assert len(hub.requests) == n_requests


def test_download_root_is_the_folder_of_models(hub, tmp_path):
    for load in (lambda: WhisperModel(NAME, download_root=str(tmp_path / "a")).engine.path,
                 lambda: whisper.load_model(NAME, download_root=str(tmp_path / "b")) and str(tmp_path / "b" / NAME),
                 lambda: download_model(NAME, cache_dir=str(tmp_path / "c"))):
        assert os.path.isfile(os.path.join(load(), "model.bin"))
    assert not hub.cache.exists()
    copied = download_model(NAME, output_dir=str(tmp_path / "here"), cache_dir=str(tmp_path / "c"))
    assert copied == str(tmp_path / "here") and os.path.isfile(tmp_path / "here" / "model.bin")
    assert sum(path.endswith("model.bin") for path, _ in hub.requests) == 3


@pytest.mark.parametrize("name", [NAME, "turbo", "tiny.en", ID])
def test_local_files_only_asks_nobody(hub, name, tmp_path):
    for load in (lambda: WhisperModel(name, local_files_only=True),
                 lambda: WhisperModel(name, local_files_only=True, download_root=str(tmp_path)),
                 lambda: download_model(name, local_files_only=True)):
        with pytest.raises(ModelError, match="found nothing, and local_files_only keeps it from being pulled") as raised:
            load()
        assert "whisper-npu models pull" in str(raised.value) and raised.value.code == 3
    assert not hub.requests and not hub.cache.exists()


def files_by_name(program, nano, folder):
    """A model in each of the forms that a name finds."""
    folder.mkdir()
    shutil.copytree(nano / "model", folder / "tiny.en")
    subprocess.run([program, "models", "convert", nano / "model", "-o", folder / "base.en.wnpu"], check=True, capture_output=True)
    subprocess.run([program, "quantize", nano / "model", "--precision", "q8_0", "-o", folder / "q"], check=True, capture_output=True)
    shutil.copytree(folder / "q", folder / "small.en")
    (weights,) = (folder / "q").glob("*.bin")
    weights.rename(folder / "ggml-medium.en.bin")
    shutil.rmtree(folder / "q")


def test_what_the_program_finds_by_name(hub, program, nano, monkeypatch):
    hub.cache.parent.mkdir(exist_ok=True)
    files_by_name(program, nano, hub.cache)
    formats = {}
    for name in ("tiny.en", "base.en", "small.en", "medium.en", "openai/whisper-base.en"):
        found = WhisperModel(name, device="cpu", local_files_only=True)
        said = subprocess.run([program, "models", "path", name], capture_output=True, text=True)
        assert (said.stdout.strip() or found.engine.path) == found.engine.path, said.stderr
        formats[name] = found.engine.format
    assert formats == {"tiny.en": "ctranslate2", "base.en": "packed", "small.en": "ggml", "medium.en": "ggml",
                       "openai/whisper-base.en": "packed"}
    assert not hub.requests


def test_names_that_are_none(hub):
    with pytest.raises(ModelError, match=r"tiny\.eng: expected a model file or folder or a name in .*models list"):
        WhisperModel("tiny.eng")
    with pytest.raises(ModelError, match="found nothing"):
        WhisperModel("/no/such/model")
    for more in ({"model_size_or_path": "someone/their-model"}, {"model_size_or_path": NAME, "revision": "v1"}):
        with pytest.raises(UnsupportedError, match="huggingface_hub"):
            WhisperModel(**more)
    assert not hub.requests


def test_a_hub_that_fails(hub, monkeypatch):
    hub.lies = lambda handler, name: hub.refuse(handler, 404)
    with pytest.raises(ModelError, match="404") as raised:
        WhisperModel(NAME)
    assert raised.value.code == 3
    monkeypatch.setenv("WHISPER_NPU_HUB", "ftp://x")
    with pytest.raises(UsageError, match="WHISPER_NPU_HUB: expected a URL"):
        WhisperModel(NAME)
    assert not (hub.cache / NAME).exists()


def test_a_download_is_interrupted_and_gone_on_with(hub):
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, slow=0.01)
    code = f"""
from whisper_npu import WhisperModel
try:
    WhisperModel({NAME!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "WNPU_HUB_TIMES": "2:30:20"})
    part = hub.cache / f".{NAME}.ctranslate2.part" / "model.bin.part"
    end = time.monotonic() + 30
    while not (part.exists() and part.stat().st_size) and time.monotonic() < end:
        time.sleep(0.01)
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=30)[0] == "interrupted\n"
    assert time.monotonic() - begin < 3
    assert part.stat().st_size > 0
    hub.lies = None
    hub.requests.clear()
    assert WhisperModel(NAME).engine.path == str(hub.cache / NAME)
    assert any(wanted for path, wanted in hub.requests if path.endswith("model.bin"))


def test_the_module_is_the_program(program, monkeypatch):
    def run(*words):
        return subprocess.run([sys.executable, "-m", "whisper_npu", *words], capture_output=True, text=True,
                              env={**os.environ, "WHISPER_NPU_PROGRAM": program})
    import whisper_npu

    version = run("--version")
    assert version.returncode == 0
    number, commit = re.match(r"whisper-npu ([0-9.]+) \(([^,]+),", version.stdout).groups()
    assert re.fullmatch(r"(unknown commit|.*[0-9a-f]{12}(-dirty)?)", commit)
    # Of builds that may be of two commits, where one of both was made anew.
    assert re.fullmatch(re.escape(number) + r"(\+.*[0-9a-f]{12}(-dirty)?)?", whisper_npu.__version__)
    assert ("+" in whisper_npu.__version__) == (commit != "unknown commit")
    assert run("--no-such").returncode == 2
    assert run("models", "list", "--names").stdout == subprocess.run([program, "models", "list", "--names"],
                                                                     capture_output=True, text=True).stdout


def test_the_encoder_on_onnx_runtime(nano, noise, nano_model, monkeypatch, tmp_path):
    capi = next((CACHE / "onnx" / "venv").glob("lib/python3*/site-packages/onnxruntime/capi"), None)
    if capi is None:
        pytest.skip("SKIP: onnxruntime is not set up (bash tests/onnx_env.sh)")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # of the graph
    path = str(nano / "model")
    try:
        model = WhisperModel(path, device="ort:cpu", compute_type="float32", cpu_threads=1, ort_library=str(capi))
    except DeviceError as error:
        assert "built without" in str(error)
        pytest.skip("SKIP: built without ONNX Runtime's C header")
    assert text_of(model, noise) == text_of(nano_model, noise) != []
    assert model.engine.device == "ort"
    with pytest.raises(DeviceError, match="pip install onnxruntime-qnn"):
        WhisperModel(path, device="ort:qnn", ort_library=str(capi))
    with pytest.raises(DeviceError, match="expected no options"):
        text_of(WhisperModel(path, device="ort:cpu", ort_library=str(capi), ort_options={"threads": "2"}), noise)
