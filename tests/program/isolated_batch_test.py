#!/usr/bin/env python3
"""The worker process of a batch, on the real program: the same results as without it, signals, and
kill -9 at random moments. ctest runs it: isolated_batch_test.py PROGRAM WRITE_NANO_MODEL [KILLS]"""
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

from batch_of_recordings import check, quick_options, status, wait_until, worker_of, write_wav
from patience import PATIENCE_S

PROGRAM, WRITE_NANO_MODEL = sys.argv[1:3]
N_KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
WORK = Path(tempfile.mkdtemp())
OPTIONS = quick_options(WORK / "model")


def write_long_wav():
    """40 minutes of silence that take no room on the disk."""
    with wave.open(str(WORK / "long.wav"), "wb") as file:
        file.setparams((1, 2, 16000, 2400 * 16000, "NONE", ""))
        file.writeframes(b"")
    path = WORK / "long.wav"
    header = bytearray(path.read_bytes())
    header[4:8] = (36 + 2400 * 32000).to_bytes(4, "little")
    header[40:44] = (2400 * 32000).to_bytes(4, "little")
    path.write_bytes(header)
    os.truncate(path, 44 + 2400 * 32000)
    return str(path)


def start(*arguments, **streams):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([PROGRAM, "transcribe", *OPTIONS, *arguments], **streams)


def run(*arguments, **streams):
    process = start(*arguments, **streams)
    out, err = process.communicate(timeout=PATIENCE_S)
    # The last line's times are the machine's.
    return process.returncode, out, re.sub(r" of audio in [0-9:.]+( s)?, [0-9.]+ times", " of audio, times", err.decode())


def without_times(path):
    if path.suffix not in (".json", ".jsonl"):
        return path.read_bytes()
    document = json.loads(path.read_text())
    del document["timing"]
    return document


def results_in(folder):
    return {path.name: without_times(path) for path in folder.iterdir()}


def test_same_results(inputs):
    broken = WORK / "broken.wav"
    broken.write_text("no audio")
    inputs = [inputs[0], str(broken), *inputs[1:], str(WORK / "missing.wav"), "-"]
    found = {}
    for isolate in ("on", "off"):
        folder = WORK / isolate
        with open(inputs[0], "rb") as stdin:
            code, out, err = run("--isolate", isolate, "--output-dir", str(folder), *inputs, stdin=stdin)
        found[isolate] = code, out, err, results_in(folder)
    check(found["on"] == found["off"], f"results with --isolate on and off:\n{found}")
    check(found["on"][0] == 1 and len(found["on"][3]) == 8 * (len(inputs) - 2), "files that fail")
    for more in (["--format", "text"], ["--dry-run", "-q"],
                 ["--model", str(WORK / "none")], ["--vad", "True", "--vad-model", str(broken)]):
        on, off = (run("--isolate", isolate, *inputs[:3], *more) for isolate in ("on", "off"))
        if "--dry-run" in more:
            on, off = ((code, len(out.splitlines()), err) for code, out, err in (on, off))
        check(on == off, f"{more} with --isolate on and off:\n{on}\n{off}")


def test_reader_that_is_gone(inputs):
    read_end, write_end = os.pipe()
    os.close(read_end)
    code, _, err = run(*inputs, stdout=write_end)
    os.close(write_end)
    check((code, err) == (141, ""), f"a closed pipe: expected exit code 141, found {code} {err}")


def test_killed_worker(inputs):
    fifo = WORK / "fifo.wav"
    os.mkfifo(fifo)
    for number in (signal.SIGKILL, signal.SIGABRT):
        process = start("--format", "text", inputs[0], str(fifo), inputs[1])
        with open(fifo, "wb"):  # waits for the worker to read it
            os.kill(worker_of(process.pid), number)
            out, err = process.communicate(timeout=PATIENCE_S)
        texts = [run("--isolate", "off", name)[1] for name in inputs[:2]]
        expected = b"\n".join(f"==> {name} <==\n".encode() + text for name, text in zip(inputs, texts))
        check(out == expected, f"the other files: expected {expected}, found {out}")
        line = f"whisper-npu: {fifo}: its process was killed by signal {int(number)} ("
        check(process.returncode == 1 and err.decode().count(line) == 1, f"expected '{line}', found {err}")


def stop(isolate, send):
    """Exit code and results of a batch to which `send` brings signals, once it has printed text."""
    folder = WORK / "stopped"
    shutil.rmtree(folder, ignore_errors=True)
    inputs = [str(WORK / "long.wav"), str(WORK / "0.wav")]
    process = start("--isolate", isolate, "-v", "--output-dir", str(folder), "--format", "txt", *inputs,
                    start_new_session=True)
    check(process.stdout.readline(), "no text came")
    worker = worker_of(process.pid)
    send(process.pid, worker)
    process.communicate(timeout=PATIENCE_S)
    check(worker is None or status(worker)[0] is None, "a worker outlives its supervisor")
    return process.returncode, sorted(path.name for path in folder.iterdir())


def test_signals():
    partial = ["long.partial.txt"]
    for isolate in ("on", "off"):
        found = stop(isolate, lambda pid, worker: os.kill(pid, signal.SIGTERM))
        check(found == (143, partial), f"SIGTERM to the program: found {found}")
        found = stop(isolate, lambda pid, worker: os.killpg(pid, signal.SIGINT))
        check(found == (130, partial), f"SIGINT to all processes: found {found}")
    found = stop("on", lambda pid, worker: (os.kill(worker, signal.SIGTERM), os.kill(pid, signal.SIGHUP)))
    check(found == (129, partial), f"SIGTERM to the worker alone is not heeded: found {found}")


def test_second_signal():
    fifo = WORK / "second.wav"
    os.mkfifo(fifo)
    process = start("0.wav", str(fifo), cwd=WORK)
    with open(fifo, "wb"):
        worker = worker_of(process.pid)
        os.kill(worker, signal.SIGSTOP)  # so that the first cannot end it
        process.send_signal(signal.SIGTERM)
        time.sleep(1)
        check(process.poll() is None, "the first signal waits for the worker")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE_S)
    check((process.returncode, b"killed" in err) == (143, False), f"found {process.returncode} {err}")
    wait_until(lambda: status(worker)[0] is None, "a worker outlives its supervisor")


def test_control_c():
    terminal, line = pty.openpty()
    environment = dict(os.environ, TERM="xterm")

    def take_terminal():
        os.setsid()
        os.close(os.open(os.ttyname(line), os.O_RDWR))

    process = start("-o", str(WORK / "typed"), "-v", str(WORK / "long.wav"), str(WORK / "0.wav"), stdin=line,
                    stderr=line, preexec_fn=take_terminal, env=environment)
    check(process.stdout.readline(), "no text came")
    os.write(terminal, b"\x03")
    process.communicate(timeout=PATIENCE_S)
    os.close(line)
    written = sorted(path.name for path in (WORK / "typed").iterdir())
    check(process.returncode == 130, f"Ctrl-C: expected exit code 130, found {process.returncode}")
    check("long.partial.srt" in written and "0.srt" not in written, f"Ctrl-C: found {written}")


def kill_at_random(process, duration_s):
    """Kills a batch or its worker; what was killed, or none where it ended before."""
    time.sleep(random.uniform(0, duration_s))
    worker = worker_of(process.pid)
    victim = random.choice(["batch", "worker"])
    if process.poll() is not None or (victim == "worker" and worker is None):
        return None
    os.kill(worker if victim == "worker" else process.pid, signal.SIGKILL)
    if victim == "batch":
        process.wait()
        wait_until(lambda: worker is None or status(worker)[0] is None, "a worker outlives its supervisor")
        if process.returncode == 0:  # it ended after poll() had looked
            return None
    return victim


def test_kills(inputs):
    seed = random.randrange(2**32)
    print(f"kill -9: seed {seed}")
    random.seed(seed)
    arguments = ["--output-dir", str(WORK / "kills"), "--skip-existing", *inputs]
    begin = time.monotonic()
    check(run(*arguments)[0] == 0, "the undisturbed batch")
    duration_s = time.monotonic() - begin
    expected = results_in(WORK / "kills")
    n_killed, n_batches, n_leftovers = {"batch": 0, "worker": 0}, 0, 0
    while sum(n_killed.values()) < N_KILLS:
        shutil.rmtree(WORK / "kills")
        n_batches += 1
        code = None
        while code != 0:
            process = start(*arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            victim = kill_at_random(process, duration_s) if sum(n_killed.values()) < N_KILLS else None
            code = process.wait(timeout=PATIENCE_S)
            allowed = {None: [0], "batch": [-signal.SIGKILL], "worker": [0, 1, 70]}[victim]
            check(code in allowed, f"after a kill of {victim}: exit code {code}")
            if victim:
                n_killed[victim] += 1
            for path in (WORK / "kills").iterdir() if (WORK / "kills").exists() else []:
                if path.name.endswith(".part"):
                    n_leftovers += 1
                else:
                    check(without_times(path) == expected[path.name], f"{path.name} is not whole")
        check(results_in(WORK / "kills") == expected, "results after kills")
    print(f"kill -9: {n_killed} in {n_batches} batches, {n_leftovers} unfinished files for the next run to remove")


def main():
    subprocess.run([WRITE_NANO_MODEL, str(WORK)], check=True)
    inputs = [str(WORK / f"{i}.wav") for i in range(5)]
    for i, path in enumerate(inputs):
        write_wav(path, 0.3 + 0.2 * i, 0.05 + 0.03 * i)
    write_long_wav()
    test_same_results(inputs)
    test_reader_that_is_gone(inputs)
    test_killed_worker(inputs)
    test_signals()
    test_second_signal()
    test_control_c()
    test_kills(inputs)
    print("isolated batch: all as documented")


try:
    main()
finally:
    shutil.rmtree(WORK)
