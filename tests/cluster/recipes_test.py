#!/usr/bin/env python3
"""The recipes of app/cluster: what they try again, by exit code, with a program that ends with it; and GNU
parallel with the real program and kills in between.
recipes_test.py PROGRAM WRITE_NANO_MODEL"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import FINAL_CODES, RECIPES, Job, check, patience, wait_until

SHARDS = 4
N_ROWS = 64 if os.environ.get("WNPU_TEST_EMULATOR") else 160  # an emulator takes seconds for each
CODES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 70, 137, 143]


def stub_of(folder, name, body):
    path = folder / name
    path.write_text("#!/bin/bash\n" + body)
    path.chmod(0o755)
    return path


def test_parallel_by_exit_code(folder):
    calls = folder / "calls"
    program = stub_of(folder, "program", f'echo "$*" >>"{calls}"\nexit $CODE\n')
    for code in (0, 1, 2, 8, 7, 137):  # starting parallel takes a while
        calls.unlink(missing_ok=True)
        done = subprocess.run([RECIPES / "parallel.sh", "1", "in put.jsonl", folder / "out", "--initial-prompt", "a 'b' $c"],
                              env=dict(os.environ, WHISPER_NPU=str(program), CODE=str(code)), capture_output=True)
        lines = calls.read_text().splitlines()
        check(len(lines) == (1 if code in FINAL_CODES else 3), f"exit code {code}: tried {len(lines)} times")
        check((done.returncode == 0) == (code == 0), f"exit code {code}: found {done.returncode}")
        for part in ("--manifest in put.jsonl ", "--shard 1/1 ", "shard-1.jsonl ", " --initial-prompt a 'b' $c"):
            check(part in lines[0], f"expected '{part}' in {lines[0]}")


def test_slurm_by_exit_code(folder):
    program = stub_of(folder, "program", f'echo "$*" >"{folder}/call"\nexit $CODE\n')
    stub_of(folder, "scontrol", f'echo "$*" >>"{folder}/requeued"\n')
    for code in CODES:
        for restarts in (0, 2, 3):
            requeued = folder / "requeued"
            requeued.unlink(missing_ok=True)
            environment = dict(os.environ, WHISPER_NPU=str(program), CODE=str(code), SLURM_ARRAY_TASK_ID="7",
                               SLURM_JOB_ID="99", SLURM_CPUS_PER_TASK="3", SLURM_RESTART_COUNT=str(restarts),
                               PATH=f"{folder}:{os.environ['PATH']}")
            done = subprocess.run([RECIPES / "slurm_array.sh", "9", "in.jsonl", folder / "out", "--model", "m"],
                                  env=environment, capture_output=True)
            check(done.returncode == code, f"expected exit code {code}, found {done.returncode}")
            expected = code not in FINAL_CODES and restarts < 3
            check(requeued.exists() == expected, f"exit code {code}, {restarts} restarts: requeued {not expected}")
            check(not expected or requeued.read_text() == "requeue 99\n", "the wrong job is requeued")
        call = (folder / "call").read_text()
        check("--shard 7/9 " in call and "shard-7.jsonl --threads 3 --model m" in call, call)
    done = subprocess.run([RECIPES / "slurm_array.sh", "9", "in.jsonl", folder / "out"], capture_output=True)
    check(done.returncode == 2, "outside of an array job")


def programs_below(job):
    """Numbers of the processes that run the job's program, of all that work on its manifest."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if job.program.encode() in words[:2] and str(job.manifest).encode() in words:
            found.append(int(process.name))
    return found


def rows_done(folder):
    return sum(file.read_bytes().count(b"\n") for file in folder.glob("shard-*.jsonl"))


def start_parallel(job, folder):
    return subprocess.Popen([RECIPES / "parallel.sh", str(SHARDS), job.manifest, folder, *job.options],
                            env=dict(job.environment, JOBS="2"), stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def test_parallel_with_kills(program, write_nano_model):
    rng = random.Random(1)
    job = Job(program, write_nano_model, N_ROWS)
    expected = job.run_alone()
    folder = job.folder / "out"
    # A program is killed: its shard is tried again.
    process = start_parallel(job, folder)
    for n_rows in (1, 15):
        wait_until(lambda: rows_done(folder) >= n_rows and programs_below(job), "rows")
        os.kill(rng.choice(programs_below(job)), signal.SIGKILL)
    wait_until(lambda: rows_done(folder) >= 30, "rows of other tries")
    # All is stopped as a person does it: parallel ends its jobs at the second SIGTERM.
    process.terminate()
    time.sleep(0.1)
    process.terminate()
    _, err = process.communicate(timeout=patience(60))
    wait_until(lambda: not programs_below(job), "the end of all programs")
    check("exit code 137 at try 1 of 3" in err, f"expected a second try, found {err}")
    n_before = rows_done(folder)
    check(n_before < job.n_rows, "nothing was left to do")
    # Started again with the same words.
    process = start_parallel(job, folder)
    _, err = process.communicate(timeout=patience(120))
    check(process.returncode == 1, f"expected exit code 1 (one shard has a row that failed), found {process.returncode}: {err}")
    job.check_joined(folder, expected)
    print(f"recipes: {n_before} of {job.n_rows} rows before the stop, all after it, each once")


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_slurm_by_exit_code(Path(folder))
        text = (RECIPES / "kubernetes_job.yaml").read_text()
        final = sorted(int(code) for codes in re.findall(r"values: \[([\d, ]+)\]", text) for code in codes.split(","))
        check([0, *final] == FINAL_CODES, f"kubernetes_job.yaml: {final} are not tried again")
        if not shutil.which("parallel"):
            print("SKIP: no GNU parallel (Debian: parallel)")
            return
        test_parallel_by_exit_code(Path(folder))
        test_parallel_with_kills(*sys.argv[1:3])


main()
