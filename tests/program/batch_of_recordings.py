"""What the tests share that run the program on many recordings, and kill its processes: a model of random weights,
options with which it is quick, recordings of a tone."""
import os
import sys
import time
import wave
from math import sin
from pathlib import Path

from patience import PATIENCE_S


def quick_options(model):
    return ["--device", "cpu", "--threads", "2", "--precision", "fp32", "--language", "en", "--beam-size", "1",
            "--temperature-increment-on-fallback", "None", "--no-speech-threshold", "None", "--max-tokens", "8",
            "--model", str(model)]


def check(is_so, what):
    if not is_so:
        sys.exit(f"FAILED: {what}")


def write_wav(path, seconds, pitch):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        samples = (int(8000 * sin(pitch * i)) for i in range(int(seconds * 16000)))
        file.writeframes(b"".join(s.to_bytes(2, "little", signed=True) for s in samples))


def status(pid):
    """State and parent of a process; none where it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None, None
    state, parent = text[text.rindex(")") + 2:].split()[:2]
    return (None, None) if state in "ZX" else (state, int(parent))


def worker_of(pid):
    """The process that works for a program, or none."""
    for name in os.listdir("/proc"):
        if name.isdigit() and status(name)[1] == pid:
            return int(name)
    return None


def wait_until(is_so, what):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        check(time.monotonic() < end, what)
        time.sleep(0.002)
