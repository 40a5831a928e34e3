#!/usr/bin/env python3
"""`whisper-npu plan` on the real program: what it prints follows from its own numbers, and what it cannot plan.
plan_test.py PROGRAM WRITE_NANO_MODEL SOURCE"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from batch_of_recordings import check, write_wav

PROGRAM, WRITE_NANO_MODEL, SOURCE = sys.argv[1:4]
OPTIONS = ["--device", "cpu", "--precision", "fp32", "--threads", "1", "--language", "en", "--beam-size", "1",
           "--temperature-increment-on-fallback", "None", "--no-speech-threshold", "None", "--max-tokens", "8"]


def write_manifest(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(folder, *arguments):
    if "--sample" not in arguments:
        arguments = ("--sample", "3", *arguments)  # so that it does not take long
    return subprocess.run([PROGRAM, "plan", "--model", folder / "model", *OPTIONS, *arguments],
                          env=dict(os.environ, WHISPER_NPU_CONFIG=""), capture_output=True, text=True)


def plan(folder, manifest, *arguments, code=0):
    done = run(folder, "--manifest", manifest, "--json", *arguments)
    check(done.returncode == code, f"{arguments}: expected exit code {code}, found {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def windows(duration):
    return max(1, math.ceil(duration / 30))


def is_near(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def test_follows_from_numbers(folder, rows):
    manifest = write_manifest(folder / "in.jsonl", rows)
    durations = [row["duration"] for row in rows]
    document = plan(folder, manifest, "--price-per-hour", "0.5", "--sample", "8", "--processes", "2")
    number = {each["name"]: each["value"] for each in document["numbers"]}
    check(number["rows"] == len(rows) and is_near(number["audio_s"], sum(durations)), f"rows: {number}")
    check(number["sample"] == 8 and number["memory"] > 1e6 and number["load_s"] > 0, f"measured: {number}")

    def row_s(duration):
        return number["window_s"] * windows(duration) + number["second_s"] * duration

    check(row_s(3) > 0 and is_near(number["work_s"], sum(map(row_s, durations))), f"work: {number}")
    check([each["machines"] for each in document["plans"]] == [1, 2, 4, 8, 16, 20], "machines of the table")
    for each in document["plans"]:
        shards = min(2 * each["machines"], len(rows))
        longest = max(sum(map(row_s, durations[i::shards])) for i in range(shards))
        check(each["shards"] == shards and is_near(each["longest_shard_s"], longest), f"shards: {each}")
        check(is_near(each["wall_s"], number["start_s"] + number["read_s"] + number["load_s"] + longest), f"time: {each}")
        check(is_near(each["money"], 0.5 * each["machines"] * each["wall_s"] / 3600), f"money: {each}")
        slow = each["wall_s"] + number["spread"] * longest
        check(is_near(each["wall_slow_s"], slow), f"slow rows: {each}")
    return document


def test_hours_and_deadlines(folder, manifest):
    document = plan(folder, manifest, "--hours", "10000", "--machines", "7")
    number = {each["name"]: each["value"] for each in document["numbers"]}
    check(is_near(number["audio_s"], 36e6) and document["plans"][0]["machines"] == 7, f"hours: {document}")
    document = plan(folder, manifest, "--hours", "10000", "--deadline", "1e6")
    check(document["meets_deadline"] is True and document["plans"][0]["machines"] == 1, f"deadline: {document}")
    document = plan(folder, manifest, "--deadline", "0.000001", code=1)
    check(document["meets_deadline"] is False, f"a deadline that nothing meets: {document}")
    text = run(folder, "--manifest", manifest, "--deadline", "0.000001")
    check(text.returncode == 1 and "no, on no number of machines" in text.stdout, text.stdout)


def test_one_row(folder, rows):
    document = plan(folder, write_manifest(folder / "one.jsonl", rows[:1]), "--processes", "1")
    check(len(document["plans"]) == 1 and document["plans"][0]["wall_slow_s"] == document["plans"][0]["wall_s"], f"one row: {document}")
    return document


def test_rows_that_fail(folder, rows):
    rows = [*rows[:6], {"audio_filepath": "missing.wav", "duration": 2.0}, {"audio_filepath": "0.wav", "duration": -1}]
    document = plan(folder, write_manifest(folder / "some.jsonl", rows), "--processes", "1", "--sample", "8")
    check(len(document["notes"]) == 2 and "line 8" in document["notes"][0] and "missing.wav" in document["notes"][1],
          f"rows that fail: {document['notes']}")
    return document


def test_refusals(folder, rows):
    manifest = folder / "in.jsonl"
    none = write_manifest(folder / "none.jsonl", [{"audio_filepath": "missing.wav", "duration": 2}])
    unknown = write_manifest(folder / "unknown.jsonl", [rows[0], {"audio_filepath": "0.wav"}])
    empty = write_manifest(folder / "empty.jsonl", [])
    utf16 = folder / "utf16.jsonl"
    utf16.write_text(manifest.read_text(), encoding="utf-16")
    for code, message, arguments in (
            (2, "--manifest is required", []),
            (2, "exclude each other", ["--manifest", manifest, "--machines", "2", "--deadline", "1"]),
            (2, "line 2: expected a duration", ["--manifest", unknown]),
            (2, "expected rows, found none", ["--manifest", empty]),
            (2, "utf16.jsonl: expected UTF-8, found UTF-16", ["--manifest", utf16]),
            (2, "not-there.jsonl: open: No such file", ["--manifest", folder / "not-there.jsonl"]),
            (2, "--machines: expected", ["--manifest", manifest, "--machines", "0"]),
            (2, "--price-per-hour: expected", ["--manifest", manifest, "--price-per-hour", "-1"]),
            (3, "no-model", ["--manifest", manifest, "--model", folder / "no-model"]),
            (4, "none of the rows", ["--manifest", none])):
        done = run(folder, *arguments)
        check(done.returncode == code and message in done.stderr and not done.stdout,
              f"{arguments}: expected {code} and '{message}', found {done.returncode}: {done.stderr}")


def check_schema(documents):
    try:
        import jsonschema
    except ImportError:
        print("SKIP: no python3-jsonschema")
        return
    schema = json.loads((Path(SOURCE) / "app/commands/plan/plan.schema.json").read_text())
    for document in documents:
        jsonschema.validate(document, schema)


def main():
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([WRITE_NANO_MODEL, folder], check=True)
        lengths = [0.5, 1.5, 4.0, 31.0]
        for i, seconds in enumerate(lengths):
            write_wav(folder / f"{i}.wav", seconds, 0.1)
        rows = [{"audio_filepath": f"{i}.wav", "duration": lengths[i], "id": f"row {n}"}
                for n, i in enumerate(rng.choices(range(4), k=40))]
        documents = [test_follows_from_numbers(folder, rows), test_one_row(folder, rows), test_rows_that_fail(folder, rows)]
        test_hours_and_deadlines(folder, folder / "in.jsonl")
        test_refusals(folder, rows)
        check_schema(documents)


main()
