#!/usr/bin/env python3
"""Fails one system call of a short transcription after the other, and looks at what is left.

    run_faults.py PROGRAM WRITE_NANO_MODEL LIBRARY [--every] [--sites N] [--kinds alloc,read] [--jobs N]

LIBRARY is fault_preload. For each mode (MODES) and each kind of call the calls are counted once; then
each of them fails once. Allocations are many, and those of one loop alike: by default N places of the
program that allocate are taken, with --sites 0 all of them, with --every each single call.

After each run: a documented exit code within the time limit, a message if it is not 0, the reference's
result if it is 0, no result that is neither the reference's nor what was there before, no file that
nobody asked for. Prints the figures; exit code 1 if there is a finding.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ["alloc", "open", "read", "write", "fsync", "rename", "mmap", "thread"]
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7, 8, 141}
# Libraries below FFmpeg's that end the process themselves where memory or descriptors lack, and
# libsndfile, which uses what calloc gave without a look. With one file nobody can catch that; in a
# batch the file's own process ends, and the batch goes on.
ENDS_BY_ITSELF = ("GLib", "libgcrypt", "/libsndfile.so")
# FFmpeg's, which pass over a packet for which memory lacked as over a damaged one, and do not always
# say so: the audio is a packet shorter then, and the result another.
PASSES_OVER_PACKETS = ("/libavformat.so", "/libavcodec.so", "/libavutil.so")
TIME_LIMIT_S = 60
OLD = "what was there before\n"
SHORT = ["--beam-size", "1", "--temperature-increment-on-fallback", "None", "--max-tokens", "6",
         "--no-speech-threshold", "None", "--device", "cpu", "--threads", "2", "--language", "en"]
CHUNKS = ["--format", "srt,json", "--output-dir", "out", "--clip-timestamps", "0,1,1,3",
          "--batch-size", "2", "--vad", "False"]
# Name, options, inputs, whether results are there before.
MODES = [
    ("json to stdout", ["--format", "json"], ["a.wav"], False),
    ("every format with words over old results",
     ["--format", "all", "--output-dir", "out", "--overwrite", "--word-timestamps", "True"],
     ["a.wav"], True),
    ("a batch of two files in chunks", [*CHUNKS, "--isolate", "off"], ["a.wav", "b.flac"], False),
    # The calls that are counted, and fail one by one, are those of the process that watches over the
    # work; each time the same number of the worker's own fails too.
    ("the same in a process of its own", CHUNKS, ["a.wav", "b.flac"], False),
]


def without_times(text):
    """JSON without what differs from run to run; other text as it is."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    return {key: document.get(key) for key in ("text", "segments", "language", "duration", "words")}


class Mode:
    """One command line, its folder of inputs, and what it gives undisturbed."""

    def __init__(self, tools, samples, name, options, inputs, has_old):
        self.tools, self.samples, self.name, self.has_old = tools, samples, name, has_old
        self.command = [tools.program, "transcribe", "--model", str(samples / "model"),
                        *SHORT, *options, *inputs]
        code, out, err, files = self.run(None)
        if code != 0:
            sys.exit(f"{name}: undisturbed run: exit code {code}: {err}")
        self.reference, self.reference_files = without_times(out), files

    def run(self, fault, counts=None):
        """Exit code (None: it hung), stdout, stderr, and the files besides the inputs."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for sample in ("a.wav", "b.flac"):
                shutil.copy(self.samples / sample, folder)
            if self.has_old:
                (folder / "out").mkdir()
                for suffix in ("txt", "srt", "json"):
                    (folder / "out" / f"a.{suffix}").write_text(OLD)
            before = self.files_of(folder)
            environment = {**os.environ, "XDG_CACHE_HOME": name, "TMPDIR": name}
            if fault:
                environment |= {"LD_PRELOAD": self.tools.library, "FAULT": fault}
            if counts:
                environment["FAULT_COUNTS"] = str(counts)
            try:
                done = subprocess.run(self.command, cwd=folder, env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True,
                                      timeout=TIME_LIMIT_S, check=False)
            except subprocess.TimeoutExpired:
                return None, "", "", {}
            after = self.files_of(folder)
            changed = {path for path in before if after.get(path) != before[path] and
                       not path.startswith("out/")}
            files = {path: without_times(text) for path, text in after.items()
                     if path not in before or path in changed or path.startswith("out/")}
            return (done.returncode, done.stdout.decode(errors="replace"),
                    done.stderr.decode(errors="replace"), files)

    @staticmethod
    def files_of(folder):
        return {str(path.relative_to(folder)): path.read_bytes().decode(errors="replace")
                for path in folder.rglob("*") if path.is_file()}

    def counted(self, kind):
        """How many calls of that kind there are, and the numbers of the first two of each place."""
        with tempfile.NamedTemporaryFile() as counts:
            self.run(f"{kind}:0", counts.name)
            lines = [line.split() for line in Path(counts.name).read_text().splitlines()]
        total = next((int(number) for name, number in lines if name == kind), 0)
        return total, [int(number) for name, number in lines if name == "site"]

    def finding(self, fault):
        """What is wrong after this fault, or None."""
        code, out, err, files = self.run(fault)
        if code is None:
            return f"not done after {TIME_LIMIT_S} s"
        is_ended_by_library = code < 0 and any(name in err for name in ENDS_BY_ITSELF)
        if code not in DOCUMENTED and not is_ended_by_library:
            return f"exit code {code}: {err.strip()}"
        if code not in (0, 141) and not is_ended_by_library and "whisper-npu: " not in err:
            return f"exit code {code} without a message: {err.strip()}"
        if code == 0 and without_times(out) != self.reference:
            return f"exit code 0 and another result on stdout: {out[:200]!r}"
        is_shorter = code == 0 and any(name in err for name in PASSES_OVER_PACKETS)
        for path, content in files.items():
            if path not in self.reference_files:
                return f"exit code {code} and a file that nobody asked for: {path}"
            if content != self.reference_files[path] and content != OLD and not is_shorter:
                return f"exit code {code} and half a result: {path}"
        missing = self.reference_files.keys() - files.keys()
        if code == 0 and missing:
            return f"exit code 0 and no {', '.join(sorted(missing))}"
        return None


def numbers_of(mode, kind, arguments):
    total, sites = mode.counted(kind)
    if arguments.every or kind != "alloc":
        return total, range(1, total + 1)
    if arguments.sites and len(sites) > arguments.sites:
        step = len(sites) / arguments.sites
        sites = [sites[int(i * step)] for i in range(arguments.sites)]
    return total, sites


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("write_nano_model", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--sites", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    tools = arguments = parser.parse_args()
    findings = n_runs = 0
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        samples = Path(name)
        subprocess.run([tools.write_nano_model, name], check=True)
        shutil.copy(samples / "tone.wav", samples / "a.wav")
        subprocess.run(["ffmpeg", "-v", "error", "-i", samples / "a.wav", samples / "b.flac"],
                       check=True)
        for mode in [Mode(tools, samples, *row) for row in MODES]:
            for kind in arguments.kinds.split(","):
                total, numbers = numbers_of(mode, kind, arguments)
                faults = [f"{kind}:{number}" for number in numbers]
                for fault, finding in zip(faults, pool.map(mode.finding, faults)):
                    n_runs += 1
                    if finding:
                        findings += 1
                        print(f"FAILED: {mode.name}: {fault}: {finding}", flush=True)
                print(f"{mode.name}: {kind}: {len(faults)} of {total} calls failed", flush=True)
    print(f"faults: {n_runs} runs, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
