"""The program as a child: every row is answered, whatever rows do to it (with fake_worker.py)."""
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import pytest

from whisper_npu.errors import Error, LibraryError, ModelError, UsageError
from whisper_npu.program import find_program
from whisper_npu.worker import Worker
from whisper_npu.worker_settings import WorkerSettings

FAKE = str(pathlib.Path(__file__).with_name("fake_worker.py"))


def settings(**given):
    return WorkerSettings(**{"model": "fake", "program": FAKE, **given})


@pytest.fixture
def rows(tmp_path):
    def made(*names):
        for name in names:
            (tmp_path / name).touch()
        return [{"audio_filepath": str(tmp_path / name), "duration": 2.0} for name in names]

    return made


def answers(worker, rows):
    futures = [worker.submit(row, row["duration"]) for row in rows]
    return [future.result(timeout=60) for future in futures]


@pytest.fixture
def worker():
    made = Worker(settings(batch_size=4, max_attempts=3))
    yield made
    made.close()


def test_rows_are_answered_whatever_others_do(worker, rows):
    for seed in range(2):
        random.seed(seed)
        kinds = [random.choice(["good", "good", "good", "bad", "crash", "once-"]) for _ in range(12)]
        found = answers(worker, rows(*(f"{kind}{seed}-{i}" for i, kind in enumerate(kinds))))
        for i, (kind, answer) in enumerate(zip(kinds, found)):
            if kind in ("good", "once-"):
                assert answer["status"] == "ok" and answer["pred_text"] == f"{kind}{seed}-{i} at 0"
            else:
                assert answer["error"]["code"] == {"bad": "audio", "crash": "crashed"}[kind]
        crashed = [answer for kind, answer in zip(kinds, found) if kind == "crash"]
        assert all(answer["attempts"] >= 2 and "signal 11" in answer["error"]["message"] for answer in crashed)


def test_a_row_is_begun_no_more_often_than_it_may(rows):
    for most in (1, 3):
        worker = Worker(settings(max_attempts=most))
        assert answers(worker, rows("crash"))[0]["attempts"] == most
        worker.close()


def test_a_row_that_ends_the_process_by_itself_has_failed(worker, rows):
    good, ended = answers(worker, rows("good", "exit5"))
    assert good["status"] == "ok"
    assert ended["error"]["code"] == "crashed" and "exit code 5" in ended["error"]["message"]


def test_a_row_that_hangs_has_failed_and_the_others_have_not(rows):
    worker = Worker(settings(row_timeout=0.5, row_timeout_factor=0.1, start_timeout=2, max_attempts=1))
    good, hung, other = answers(worker, rows("good", "hang", "other"))
    worker.close()
    assert (good["status"], other["status"]) == ("ok", "ok")
    assert hung["error"]["code"] == "timeout"


def test_what_is_no_rows_fault_is_raised(rows):
    worker = Worker(settings(model="missing"))
    with pytest.raises(ModelError, match="expected a model, found none"):
        answers(worker, rows("good"))
    with pytest.raises(ModelError):
        answers(worker, rows("good"))
    worker.close()
    worker = Worker(settings(model="dies", max_attempts=100))
    with pytest.raises(Error, match="signal 11"):
        answers(worker, rows("good"))
    worker.close()
    with pytest.raises(Error, match="closed"):
        worker.submit({"audio_filepath": "x"})


def test_nobody_waits_for_ever(rows, monkeypatch):
    worker = Worker(settings())
    hung = [worker.submit(row) for row in rows("hang", "good")]
    worker.close()
    for future in hung:
        with pytest.raises(Error, match="closed"):
            future.result(timeout=20)
    monkeypatch.setattr(Worker, "_take", lambda *_: 1 / 0)
    worker = Worker(settings())
    with pytest.raises(Error, match="expected to go on, found ZeroDivisionError"):
        worker.submit(rows("good")[0]).result(timeout=20)
    with pytest.raises(Error, match="ZeroDivisionError"):
        worker.submit(rows("good")[0])
    worker.close()


def test_kills_from_outside_cost_attempts_alone(rows, monkeypatch):
    monkeypatch.setenv("WHISPER_NPU_FAKE_SPEED", "0.05")
    worker = Worker(settings(batch_size=2, max_attempts=20))
    futures = [worker.submit(row, 2.0) for row in rows(*(f"good{i}" for i in range(10)))]
    for _ in range(4):
        time.sleep(0.25)
        if worker.pid():
            os.kill(worker.pid(), signal.SIGKILL)
    found = [future.result(timeout=60) for future in futures]
    worker.close()
    assert [answer["pred_text"] for answer in found] == [f"good{i} at 0" for i in range(10)]
    assert max(answer["attempts"] for answer in found) > 1


PARENT = """
import sys, time
from whisper_npu.worker import Worker
from whisper_npu.worker_settings import WorkerSettings
worker = Worker(WorkerSettings(model="fake", program=sys.argv[1]))
worker.submit({"audio_filepath": sys.argv[2], "duration": 2.0}).result()
print(worker.pid(), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_ends_with_its_parent(rows, number):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, FAKE, rows("good")[0]["audio_filepath"]],
                              stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    parent.send_signal(number)
    parent.wait()
    for _ in range(100):
        if not pathlib.Path(f"/proc/{child}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the child is there 5 s after its parent")


def test_settings_say_what_they_expect():
    for wrong in ({"threads": 0}, {"batch_seconds": 0}, {"model": ""}, {"max_attempts": 1.5}, {"options": "--beam-size"},
                  {"options": ["--model=x"]}, {"row_timeout": float("nan")}):
        with pytest.raises(UsageError, match="expected .* found"):
            settings(**wrong)
    command = settings(options=("--beam-size", "1"), language="de", word_timestamps=True).command()
    assert command[:4] == [FAKE, "worker", "--model", "fake"] and command[-2:] == ["--beam-size", "1"]


def test_where_the_program_is_looked_for(tmp_path, monkeypatch):
    program = tmp_path / "whisper-npu"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    script = tmp_path / "scripts" / "whisper-npu"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr("whisper_npu.program.INSIDE", str(tmp_path / "none"))
    monkeypatch.delenv("WHISPER_NPU_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", str(script.parent))
    with pytest.raises(LibraryError, match="expected the program"):  # the console script is not the program
        find_program()
    monkeypatch.setenv("PATH", f"{script.parent}:{tmp_path}")
    assert find_program() == str(program)
    monkeypatch.setenv("WHISPER_NPU_PROGRAM", str(tmp_path / "elsewhere"))
    with pytest.raises(UsageError, match="WHISPER_NPU_PROGRAM"):
        find_program()
    monkeypatch.setattr("whisper_npu.program.INSIDE", str(program))
    assert find_program() == str(program)
    assert find_program(FAKE) == FAKE
