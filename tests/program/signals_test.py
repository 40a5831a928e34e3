#!/usr/bin/env python3
"""A signal at a random moment of every stage ends the program promptly, with 128 + its number, and
what was finished is kept. ctest runs it: signals_test.py PROGRAM WRITE_NANO_MODEL [RUNS A STAGE [PART OF ITS NAME]]

Prints each stage's longest time from the signal to the end. A run fails from LIMIT_S on: half a
second is what is promised on a machine that has nothing else to do.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

from patience import PATIENCE_S, patience
from plainest_isa import plainest_isa

PROGRAM, WRITE_NANO_MODEL = sys.argv[1:3]
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
PART = sys.argv[4] if len(sys.argv) > 4 else ""
LIMIT_S = patience(2)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def wav_header(n_bytes, channels=1):
    """16 kHz, 16 bits."""
    size = min(n_bytes, 0xFFFFFFFF - 36)
    return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", size + 36, b"WAVE", b"fmt ", 16, 1, channels,
                       16000, 32000 * channels, 2 * channels, 16, b"data", size)


def rf64_header(n_bytes):
    return struct.pack("<4sI4s4sIQQQI4sIHHIIHH4sI", b"RF64", 0xFFFFFFFF, b"WAVE", b"ds64", 28,
                       n_bytes + 72, n_bytes, n_bytes // 2, 0, b"fmt ", 16, 1, 1, 16000, 32000, 2,
                       16, b"data", 0xFFFFFFFF)


def sparse(path, header, n_bytes):
    with open(path, "wb") as file:
        file.write(header)
        file.truncate(len(header) + n_bytes)
    return str(path)


def noise(path, seconds, seed):
    values = random.Random(seed)
    with open(path, "wb") as file:
        file.write(wav_header(32000 * seconds))
        file.write(b"".join(struct.pack("<h", int(values.gauss(0, 3000)))
                            for _ in range(16000)) * seconds)
    return str(path)


def full_pipe():
    """Both ends of a pipe that takes no byte more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


class Stage:
    """What a program is doing when the signal comes."""

    def __init__(self, name, arguments, longest_s=1.0, sent=None, blocked=(), environment=None,
                 keeps=False):
        self.name = name
        self.arguments = arguments
        self.longest_s = longest_s  # from the start to the signal
        self.sent = sent            # bytes on stdin, which stays open; a path; None: nothing
        self.blocked = blocked      # of "stdout", "stderr"
        self.environment = environment or {}
        self.keeps = keeps          # results, in the folder of the run


def run_once(stage, seed, work):
    chance = random.Random(f"{stage.name} {seed}")
    number = SIGNALS[seed % len(SIGNALS)]
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    stdin_reader, stdin_writer = os.pipe()
    opened = [stdin_writer]
    stdin = stdin_reader
    if isinstance(stage.sent, bytes):
        os.write(stdin_writer, stage.sent)
    elif stage.sent:
        stdin = os.open(stage.sent, os.O_RDONLY)
    streams = {}
    for name in ("stdout", "stderr"):
        if name in stage.blocked:
            reader, streams[name] = full_pipe()
            opened.append(reader)
        else:
            streams[name] = os.open(folder / name, os.O_WRONLY | os.O_CREAT)
    arguments = [argument.replace("@", str(folder)) for argument in stage.arguments]
    process = subprocess.Popen([PROGRAM, "transcribe", *arguments], stdin=stdin, **streams,
                               env={**os.environ, **stage.environment})
    for descriptor in {stdin, stdin_reader, *streams.values()}:
        os.close(descriptor)
    time.sleep(chance.uniform(0.02, stage.longest_s))
    is_over = process.poll() is not None
    start = time.monotonic()
    if not is_over:
        process.send_signal(number)
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    passed = time.monotonic() - start
    for descriptor in opened:
        os.close(descriptor)
    # Before main() the system's default action ends it, which a shell tells by the same code; in the
    # moment of the end there is nothing to stop.
    wanted = {0} if is_over else {128 + number, -number}
    if stage.keeps:
        wanted.add(0)
    found = [] if process.returncode in wanted else [
        f"exit code {process.returncode}, expected one of {sorted(wanted)}"]
    if passed >= LIMIT_S:
        found.append(f"{passed:.2f} s from the signal to the end")
    found += check_kept(folder, process.returncode) if stage.keeps else []
    return passed, [f"{stage.name}, run {seed}: {text}" for text in found]


def check_kept(folder, code):
    """The result is whole where the code says so, else marked; nothing else is left."""
    names = sorted(path.name for path in folder.iterdir() if path.name not in ("stdout", "stderr"))
    for name in names:
        document = json.loads((folder / name).read_text())
        if document["truncated"] != (name == "out.partial.json"):
            return [f"{name}: truncated is {document['truncated']}"]
    allowed = [["out.json"]] if code == 0 else [[], ["out.json"], ["out.partial.json"]]
    return [] if names in allowed else [f"left: {names}"]


def stages(work):
    model = ["--device", "cpu", "--model", str(work / "model"), "--language", "en"]
    greedy = [*model, "--beam-size", "1", "--temperature-increment-on-fallback", "None"]
    raw = ["--stdin-format", "s16le:16000:1", "-"]
    os.mkfifo(work / "fifo")
    os.mkfifo(work / "result")
    terabyte = sparse(work / "1tb.wav", rf64_header(1 << 40), 1 << 40)
    zeros = sparse(work / "1tb.raw", b"", 1 << 40)
    surround = sparse(work / "3.wav", wav_header(1 << 32, 3), 1 << 32)  # is left to libav
    hour = sparse(work / "hour.wav", wav_header(3600 * 32000), 3600 * 32000)
    minutes = noise(work / "noise.wav", 120, 1)
    tone = str(work / "tone.wav")
    json_file = ["--format", "json", "--output", "@/out.json"]
    yield Stage("a named pipe that nobody opens", [*model, str(work / "fifo")])
    yield Stage("half a WAV header", [*model, "-"], sent=wav_header(1000)[:20])
    yield Stage("no raw PCM", [*model, *raw])
    yield Stage("some raw PCM", [*model, *raw], sent=bytes(32000))
    yield Stage("1 TB of raw PCM", [*model, *raw], sent=zeros)
    yield Stage("1 TB of WAV", [*model, terabyte])
    yield Stage("1 TB of WAV, two threads", [*model, "--threads", "2", terabyte])
    yield Stage("a long WAV of three channels", [*model, surround])
    yield Stage("second pass", [*model, "--clip-timestamps", "3590", hour], longest_s=6.0)
    yield Stage("second pass of a dry run", ["--dry-run", hour], longest_s=6.0)
    yield Stage("windows", [*greedy, *json_file, minutes], longest_s=4.0, keeps=True)
    yield Stage("windows without SIMD", [*model, *json_file, minutes], longest_s=4.0, keeps=True,
                environment={"WNPU_ISA": plainest_isa(PROGRAM)})
    yield Stage("words", [*greedy, "--word-timestamps", "True", *json_file, minutes],
                longest_s=4.0, keeps=True)
    yield Stage("stdout is full", [*greedy, minutes], longest_s=3.0, blocked=("stdout",))
    yield Stage("stderr is full", ["-v", *greedy, terabyte], blocked=("stderr",))
    yield Stage("a result's named pipe", [*greedy, "--output", str(work / "result"), tone])


def main():
    failures = []
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        subprocess.run([WRITE_NANO_MODEL, name], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = [(stage, [pool.submit(run_once, stage, seed, work) for seed in range(RUNS)])
                    for stage in stages(work) if PART in stage.name]
            for stage, futures in runs:
                results = [future.result() for future in futures]
                failures += [text for _, texts in results for text in texts]
                print(f"{max(passed for passed, _ in results):5.2f} s  {stage.name}")
    print(*failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
