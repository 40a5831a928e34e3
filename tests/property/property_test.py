#!/usr/bin/env python3
"""Random command lines over random recordings; what must hold for every run is in invariants.py.

    property_test.py PROGRAM WRITE_MODELS [--runs N] [--seed N] [--jobs N]

prints the seed, and for each finding the command line, shrunk. Exit code 1 where there is one, 77 where
python3-jsonschema is not installed. --only INDEX runs one case again and keeps its folder.
"""
import argparse
import collections
import dataclasses
import multiprocessing
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import jsonschema  # noqa: F401
except ImportError:
    print("SKIP: python3-jsonschema is not installed")
    sys.exit(77)

import command_lines
import invariants
import option_values
import recordings
import runs
import settings

SOURCE = pathlib.Path(__file__).resolve().parents[2]
worker = None  # of this process


class Worker:
    def __init__(self, options, setup, work, compressed):
        self.options, self.setup, self.compressed = options, setup, compressed
        self.folder = os.path.join(work, f"run{os.getpid()}")
        self.invariants = invariants.Invariants(SOURCE)
        self.shrunk_kinds = set()  # one of each is enough

    def faults(self, case):
        run = runs.execute(case, self.setup, self.folder)
        try:
            found = self.invariants.faults(case, run, self.setup)
        except (ValueError, LookupError, TypeError) as error:  # what was written is of no known shape
            found = [("results: of no known shape", repr(error))]
        if run.code == 0 and not found and case.threads and not case.has("--dry-run"):
            again = runs.execute(case, self.setup, self.folder + "b", case.threads)
            one, other = runs.results(run), runs.results(again)
            if again.code != 0 or one != other:
                where = [k for k in one.keys() | other.keys() if one.get(k) != other.get(k)]
                found.append(("another run gives something else", f"--threads {case.threads}: {again.code} {where}"))
        if (run.code == 0 or run.code == 2 and case.is_plain) and not found and case.form:
            found += self.faults_elsewhere(case, run)
        return run.code, found

    def faults_elsewhere(self, case, run):
        """The same options from a file or the environment give the same."""
        moved = settings.moved(case, case.form)
        if moved is None or case.has("--dry-run"):
            return []
        atoms, *given = moved
        again = runs.execute(dataclasses.replace(case, atoms=atoms), self.setup, self.folder + "b", settings=given)
        one, other = runs.results(run), runs.results(again)
        if again.code == run.code and one == other:
            return []
        where = [k for k in one.keys() | other.keys() if one.get(k) != other.get(k)]
        return [(f"options from {case.form} give something else", f"{given}: {again.code} {again.err} {where}")]

    def shrunk(self, case, kind):
        """The case without what the fault does not need; what keeps a run short stays."""
        position, kept = 0, command_lines.RESTRAINTS
        while position < len(case.atoms):
            atoms = case.atoms[:position] + case.atoms[position + 1:]
            smaller = dataclasses.replace(case, atoms=atoms)
            may_go = case.atoms[position].name not in kept and any(a.name == "" for a in atoms)
            if may_go and any(k == kind for k, _ in self.faults(smaller)[1]):
                case = smaller
            else:
                position += 1
        return case

    def look(self, index):
        case = command_lines.make_case(self.options.seed, index, self.compressed)
        start = time.monotonic()
        code, found = self.faults(case)
        elapsed = time.monotonic() - start
        kind = found[0][0] if found else ""
        is_new = found and kind not in self.shrunk_kinds
        self.shrunk_kinds.add(kind)
        small = self.shrunk(case, kind) if is_new and self.options.shrink else case
        return index, code, elapsed, found, line(case, self.setup), line(small, self.setup)


def line(case, setup):
    return shlex.join(["whisper-npu", *runs.arguments(case, setup)]).encode(errors="backslashreplace").decode()


def start_worker(*arguments):
    global worker
    worker = Worker(*arguments)


def look(index):
    return worker.look(index)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("write_models")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="index of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int, help="this case alone; its folder stays")
    parser.add_argument("--timeout", type=float, default=120, help="seconds a run may take")
    parser.add_argument("--memory", type=int, default=1024, help="MB that a run may take")
    parser.add_argument("--model", help="in place of the default tiny.en of random weights: a CTranslate2 folder")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    return parser.parse_args()


def make_setup(options, work):
    models = os.path.join(work, "cache/whisper-npu")
    os.makedirs(models)
    subprocess.run([options.write_models, models], check=True)
    if options.model:
        shutil.rmtree(os.path.join(models, "tiny.en"))
        os.symlink(os.path.abspath(options.model), os.path.join(models, "tiny.en"))
    return runs.Setup(os.path.abspath(options.program), models, os.path.join(work, "cache"), options.timeout,
                      1024 * options.memory)


def compressed_files(work):
    folder = pathlib.Path(work, "compressed")
    folder.mkdir()
    if shutil.which("ffmpeg") is None:
        print("SKIP: compressed recordings: ffmpeg is not installed")
        return []
    return recordings.compressed(folder, lambda words: subprocess.run(words, check=False).returncode == 0)


def report(codes, findings, elapsed):
    print(f"{sum(codes.values())} runs in {elapsed:.0f} s; exit codes: " +
          ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
    for kind, examples in sorted(findings.items(), key=lambda item: -len(item[1])):
        index, details, whole, small = min(examples, key=lambda example: len(example[3]))
        print(f"\nFINDING ({len(examples)} times): {kind}\n  --only {index}: {whole}\n  shrunk: {small}\n  {details}")


def main():
    options = parse()
    option_values.check_complete(options.program)
    work = tempfile.mkdtemp(prefix="property-")
    print(f"seed {options.seed}, runs {options.first} to {options.first + options.runs - 1}, in {work}", flush=True)
    setup, compressed = make_setup(options, work), compressed_files(work)
    start_worker(options, setup, work, compressed)  # what is wrong with it is wrong in each of the pool
    indexes = [options.only] if options.only is not None else range(options.first, options.first + options.runs)
    codes, findings = collections.Counter(), collections.defaultdict(list)
    start = time.monotonic()
    with multiprocessing.Pool(options.jobs, start_worker, (options, setup, work, compressed)) as pool:
        for index, code, elapsed, found, whole, small in pool.imap_unordered(look, indexes):
            codes[code] += 1
            for kind, details in found[:1]:
                findings[kind].append((index, details, whole, small))
                print(f"{index}: {kind}: {small}", flush=True)
            if elapsed > options.timeout / 4:
                print(f"{index}: {elapsed:.0f} s: {whole}", flush=True)
    report(codes, findings, time.monotonic() - start)
    if options.only is None:
        shutil.rmtree(work)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
