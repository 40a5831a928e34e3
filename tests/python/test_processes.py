"""Threads, processes, signals, and nothing that grows."""
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from conftest import QUICK


def texts(model, audio):
    return [(s.start, s.end, s.tokens) for s in model.transcribe(audio, **QUICK)[0]]


def test_threads_share_a_model(nano_model, noise):
    expected = texts(nano_model, noise)
    found, seen_while_at_work = [], 0
    threads = [threading.Thread(target=lambda: found.append(texts(nano_model, noise))) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):  # the interpreter is not held meanwhile
        seen_while_at_work += 1
        time.sleep(0.001)
    assert found == [expected] * 4
    assert seen_while_at_work > 5


LONG = """
import sys, time
import numpy as np
from whisper_npu import WhisperModel
model = WhisperModel(sys.argv[1], device="cpu", compute_type="float32", cpu_threads=1)
noise = np.tile(np.random.default_rng(4).normal(0, .3, 40 * 16000).clip(-1, 1).astype(np.float32), int(sys.argv[2]))
"""
INTERRUPTED = LONG + """
try:
    print("at work", flush=True)
    segments, info = model.transcribe(noise, language="en", temperature=0.0, no_speech_threshold=None)
    for segment in segments:
        pass
    print("came to an end")
except KeyboardInterrupt:
    print("stopped", flush=True)
    segment = next(model.transcribe(noise[:480000], language="en", max_new_tokens=5, no_speech_threshold=None)[0])
    print("goes on")
"""


def seconds_to_stop(model, after_s):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, model, "200"], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "at work\n"
    time.sleep(after_s)
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "stopped\n"
    took = time.monotonic() - begin
    assert child.stdout.readline() == "goes on\n"
    assert child.wait(30) == 0
    return took


@pytest.mark.parametrize("after_s", [0.0, 0.05, 1.5])
def test_interrupt(nano, after_s):
    """In the reading of the audio, and between its segments. Other tests may have the CPUs for a while."""
    assert any(seconds_to_stop(str(nano / "model"), after_s) < 0.5 for _ in range(3))


def test_an_interpreter_ends_with_work_undone(nano):
    undone = LONG + """
segments = model.transcribe(noise, language="en", temperature=0.0, no_speech_threshold=None)[0]
next(segments)
other = model.transcribe(noise, language="en")
print("over")
"""
    done = subprocess.run([sys.executable, "-c", undone, str(nano / "model"), "20"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


def test_an_interpreter_ends_with_a_daemon_thread_at_work(nano):
    """What is under way then ends without a word."""
    undone = LONG + """
import threading
begun = threading.Event()
def work():
    for segment in model.transcribe(noise, language="en", temperature=0.0, no_speech_threshold=None)[0]:
        begun.set()
threading.Thread(target=work, daemon=True).start()
begun.wait()
print("over")
"""
    done = subprocess.run([sys.executable, "-c", undone, str(nano / "model"), "20"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


# What daemon threads do again and again.
WORK = {
    "segments": 'for _ in model.transcribe(noise, language="en", temperature=0.0, no_speech_threshold=None)[0]: pass',
    "beginning": "model.transcribe(noise)",
    "decode_audio": "whisper_npu.decode_audio(recording)",
    "loading": "WhisperModel(sys.argv[1], device='cpu', cpu_threads=1)",
}
ENDS_AT_WORK = LONG + """
import os, threading, wave, whisper_npu
def tell(ended):  # in one write: of two tracebacks at once, Python would mix the words
    kind = ended.exc_type
    os.write(2, (kind.__module__ + "." + kind.__name__ + chr(10)).encode())
threading.excepthook = tell
recording = sys.argv[1] + ".wav"
with wave.open(recording, "wb") as file:
    file.setparams((1, 2, 16000, 0, "NONE", ""))
    file.writeframes(bytes(2 * 16000 * 1800))
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)
sys.slow = Slow()  # the end of the interpreter takes its time
begun = threading.Barrier(4)
def work():
    begun.wait()
    while True:
        WORK
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.2)
print("over")
"""


@pytest.mark.parametrize("work", WORK)
def test_an_interpreter_ends_with_daemon_threads_at_work(nano, work):
    """They want the interpreter's lock while it ends, are stopped, and begin anew. All that may be said is that."""
    code = ENDS_AT_WORK.replace("WORK", WORK[work])
    done = subprocess.run([sys.executable, "-c", code, str(nano / "model"), "20"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr
    assert set(done.stderr.splitlines()) <= {"whisper_npu.errors.StoppedError"}, done.stderr


def test_two_interpreters_at_once(nano):
    code = LONG + "print([s.tokens for s in model.transcribe(noise[:640000], max_new_tokens=12, no_speech_threshold=None)[0]])"
    children = [subprocess.Popen([sys.executable, "-c", code, str(nano / "model"), "1"], stdout=subprocess.PIPE) for _ in range(2)]
    said = [child.communicate(timeout=60)[0] for child in children]
    assert said[0] == said[1] and len(said[0]) > 10
    assert [child.returncode for child in children] == [0, 0]


def in_child(model_path, model, audio, queue):
    from whisper_npu import WhisperModel

    model = model or WhisperModel(model_path, device="cpu", compute_type="float32", cpu_threads=1)
    queue.put(texts(model, audio))


def in_parent_and_child(context, nano, model, audio):
    queue = context.Queue()
    child = context.Process(target=in_child, args=(str(nano / "model"), model, audio, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(30)
    assert child.exitcode == 0
    return found


def test_spawn(nano, nano_model, noise):
    context = multiprocessing.get_context("spawn")
    assert in_parent_and_child(context, nano, None, noise) == texts(nano_model, noise)


def test_fork(nano, nano_model, noise):
    """A child uses the parent's model, also where the parent is at work, and gives up its work."""
    expected = texts(nano_model, noise)
    segments = nano_model.transcribe(np.tile(noise, 20), **QUICK)[0]
    next(segments)
    context = multiprocessing.get_context("fork")
    assert in_parent_and_child(context, nano, nano_model, noise) == expected
    next(segments)  # the parent goes on
    child = os.fork()
    if child == 0:
        status = 1
        try:
            next(segments)
        except ValueError:
            status = 0
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    segments.close()
    assert texts(nano_model, noise) == expected


def resident_kb():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_many_calls_do_not_grow(nano_model):
    """WNPU_CALLS=1000 by hand; here a few."""
    calls = int(os.environ.get("WNPU_CALLS", "30"))
    short = np.random.default_rng(5).normal(0, 0.3, 16000).clip(-1, 1).astype(np.float32)
    for _ in range(calls // 3):
        texts(nano_model, short)
    before = resident_kb()
    threads, open_files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for i in range(calls):
        if i % 10 == 0:
            nano_model.transcribe(short, **QUICK)  # never asked for
            with pytest.raises(FileNotFoundError):
                nano_model.transcribe("/none.wav")
        texts(nano_model, short)
    assert resident_kb() - before < 2000
    assert len(os.listdir("/proc/self/task")) < 20
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == (threads, open_files)
