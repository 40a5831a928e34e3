"""whisper_npu.ray on a small Ray of its own, with fake_worker.py."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("ray", reason="SKIP: Ray is not installed (bash tests/python_env.sh --ray)")
pa = pytest.importorskip("pyarrow", reason="SKIP: pyarrow is not installed (bash tests/python_env.sh --ray)")

FAKE = str(pathlib.Path(__file__).with_name("fake_worker.py"))
os.environ["RAY_AUTH_MODE"] = "disabled"


@pytest.fixture(scope="module")
def ray():
    import ray

    ray.init(address="local", num_cpus=3, object_store_memory=80 << 20, include_dashboard=False,
             logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def transcribed(dataset, **options):
    from whisper_npu.ray import transcribe

    return transcribe(dataset, **{"model": "fake", "program": FAKE, "threads": 1, **options})


@pytest.fixture
def rows(tmp_path):
    names = [f"good{i}" for i in range(30)] + ["bad", "crash", "once-1"]
    for name in names:
        (tmp_path / name).touch()
    return [{"audio_filepath": str(tmp_path / name), "duration": 1.0 + i, "id": i, "more": {"n": [i]}}
            for i, name in enumerate(names)]


def test_a_dataset_with_what_is_said(ray, rows):
    found = {row["id"]: row for row in transcribed(ray.data.from_items(rows), max_attempts=3).take_all()}
    assert sorted(found) == list(range(33)) and all(found[i]["more"] == {"n": [i]} for i in found)
    assert [found[i]["status"] for i in found if i < 30 or i == 32] == ["ok"] * 31
    assert found[30]["error"]["code"] == "audio" and found[31]["error"]["code"] == "crashed"
    assert all(found[i]["segments"][0]["text"] == f" good{i} at 0" for i in range(30))
    assert not [name for name in found[0] if name.startswith("_")]


def test_an_empty_dataset(ray):
    assert transcribed(ray.data.from_items([{"audio_filepath": "x"}]).filter(lambda row: False)).count() == 0


def test_what_is_refused_before_any_work(ray, rows):
    from whisper_npu.errors import ResourceError, UsageError

    with pytest.raises(UsageError, match="id: expected each once"):
        transcribed(ray.data.from_items(rows + rows[:1]))
    with pytest.raises(ResourceError, match="expected to leave a CPU"):
        transcribed(ray.data.from_items(rows), actors=3)
    with pytest.raises(ResourceError, match="expected a node with 4 CPUs"):
        transcribed(ray.data.from_items(rows), threads=4)
    with pytest.raises(UsageError, match="expected a Ray Dataset"):
        transcribed(rows)
    with pytest.raises(UsageError, match="expected a column of paths"):
        transcribed(ray.data.from_items([{"path": "x"}]))


def test_an_error_of_the_model_is_the_jobs(ray, rows):
    with pytest.raises(Exception, match="expected a model, found none"):
        transcribed(ray.data.from_items(rows), model="missing").take_all()


def command(tmp_path, *words, **variables):
    return subprocess.Popen([sys.executable, "-m", "whisper_npu.ray", str(tmp_path / "in.jsonl"), str(tmp_path / "out"),
                             "--model", "fake", "--program", FAKE, "--threads", "1", *words], text=True,
                            stderr=subprocess.PIPE, env={**os.environ, **variables})


def results(tmp_path):
    return [json.loads(line) for part in (tmp_path / "out").glob("part-*") for line in part.read_text().splitlines()]


def test_the_command_stopped_and_resumed(tmp_path, rows):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first = command(tmp_path, WHISPER_NPU_FAKE_SPEED="0.1")
    while first.poll() is None and not results(tmp_path):
        time.sleep(0.1)
    first.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    first.communicate()
    assert first.returncode == 143 and time.monotonic() - begin < 10
    assert 0 < len(results(tmp_path)) < len(rows)
    assert command(tmp_path).wait() == 2  # without --resume
    again = command(tmp_path, "--resume")
    assert again.communicate()[1].endswith("s\n") and again.returncode == 1
    found = results(tmp_path)
    assert sorted(row["id"] for row in found) == list(range(33))
    assert sorted(row["id"] for row in found if row["status"] == "failed") in ([30, 31], [30, 31, 32])
    other = command(tmp_path, "--resume", "--option=--beam-size", "--option=1")
    assert "options: expected" in other.communicate()[1] and other.returncode == 2
