#!/usr/bin/env python3
"""whisper-npu worker and transcribe --manifest on the real program: rows as one by one, processes that
die, signals, kill -9 and --resume. ctest runs it: worker_test.py PROGRAM WRITE_NANO_MODEL [KILLS]"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from batch_of_recordings import check, quick_options, status, wait_until, worker_of, write_wav
from patience import PATIENCE_S, patience

PROGRAM, WRITE_NANO_MODEL = sys.argv[1:3]
N_KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
ROOT = Path(__file__).resolve().parents[2]
WORK = Path(tempfile.mkdtemp())
SIGNAL_LIMIT_S = patience(2)
OPTIONS = quick_options(WORK / "model")
CHANCE = ("seconds", "attempts")


def write_rows(name, rows):
    (WORK / name).write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return name


def start(command, *arguments, **streams):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": WORK,
               **streams}
    return subprocess.Popen([PROGRAM, *command, *OPTIONS, *arguments], **streams)


def run(command, *arguments, rows=None, **streams):
    if rows is not None:
        streams["stdin"] = open(WORK / rows, "rb")
    process = start(command, *arguments, **streams)
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err.decode()


def results_of(out):
    return [json.loads(line) for line in out.splitlines()]


def without_chance(result):
    return {name: value for name, value in result.items() if name not in CHANCE}


def check_schemas(rows, results, summary):
    try:
        import jsonschema
    except ImportError:
        print("SKIP: no jsonschema (python3-jsonschema): results are not held to their schemas")
        return
    for name, values in (("jobs/rows/row", rows), ("jobs/rows/result", results), ("jobs/manifest/summary", [summary])):
        rules = json.loads((ROOT / f"app/{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(rules)
        for value in values:
            jsonschema.validate(value, rules)


def test_rows(rows, manifest):
    """One after another, and together, in both orders, with and without a process of their own."""
    code, out, err = run(["worker"], "--batch-size", "1", rows=manifest)
    expected = results_of(out)
    check((code, err) == (0, ""), f"worker: {code} {err}")
    check(len(expected) == len(rows), f"expected {len(rows)} results, found {len(expected)}")
    for row, result in zip(rows, expected):
        known = row if isinstance(row, dict) else {}
        check(known.items() <= result.items(), f"columns of {row} in {result}")
        is_good = known.get("audio_filepath", "").endswith(".wav")
        check(result["status"] == ("ok" if is_good else "failed"), f"{row}: {result}")
    for more in (["--batch-size", "3"], ["--batch-seconds", "2"], ["--isolate", "off"], ["--order", "done"]):
        code, out, err = run(["worker"], *more, rows=manifest)
        found = results_of(out)
        if more[0] == "--order":
            found.sort(key=lambda result: [str(r["id"]) for r in expected].index(str(result["id"])))
        check(code == 0 and list(map(without_chance, found)) == list(map(without_chance, expected)),
              f"{more}: expected {expected}, found {found}")
    return expected


def test_stretches():
    """offset and duration are a file of their own; words are there where they are asked for."""
    whole = (WORK / "long.wav").read_bytes()
    header, samples = bytearray(whole[:44]), whole[44:]
    part = samples[2 * 16000 * 2:2 * 16000 * 5]
    header[4:8] = (36 + len(part)).to_bytes(4, "little")
    header[40:44] = len(part).to_bytes(4, "little")
    (WORK / "part.wav").write_bytes(bytes(header) + part)
    manifest = write_rows("stretch.jsonl", [{"audio_filepath": "long.wav", "offset": 2, "duration": 3},
                                            {"audio_filepath": "part.wav"}])
    code, out, err = run(["worker"], "--word-timestamps", "True", rows=manifest)
    stretch, part = results_of(out)
    names = ("status", "pred_text", "segments", "words", "audio_duration", "language")
    check(code == 0 and [stretch[n] for n in names] == [part[n] for n in names], f"{stretch}\n{part}\n{err}")
    check(stretch["audio_duration"] == 3 and isinstance(stretch["words"], list), f"{stretch}")


def test_live_rows():
    """A result comes before more rows do, and the end of the reader is the end of the worker."""
    process = start(["worker"], stdin=subprocess.PIPE)
    for i in range(3):
        process.stdin.write(json.dumps({"audio_filepath": "0.wav", "id": i}).encode() + b"\n")
        process.stdin.flush()
        check(json.loads(process.stdout.readline())["id"] == i, "a result while stdin stays open")
    process.stdout.close()
    try:
        process.stdin.write(b'{"audio_filepath":"0.wav"}\n')
        process.stdin.flush()
    except BrokenPipeError:
        pass  # the worker watches its reader, and may have ended before this row
    check((process.wait(PATIENCE_S), process.stderr.read()) == (141, b""), "a reader that is gone")
    process.stdin.close()
    code, out, err = run(["worker"], "--model", str(WORK / "none"), rows=os.devnull)
    check((code, out) == (3, b""), f"a model that is not there: {code} {err}")


def test_killer(number):
    """A row in which the process dies each time, between others, which are done."""
    fifo = WORK / "fifo.wav"
    if not fifo.exists():
        os.mkfifo(fifo)
    manifest = write_rows("killer.jsonl", [{"audio_filepath": name, "id": name}
                                           for name in ("0.wav", "1.wav", "fifo.wav", "2.wav")])
    process = start(["worker"], "--max-attempts", "3", stdin=open(WORK / manifest, "rb"))
    victims = set()
    while True:
        # Opens once the worker reads it; not at all where it is given up.
        wait_until(lambda: process.poll() is not None or (worker_of(process.pid) or None) is not None, "a worker")
        try:
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            if process.poll() is not None or len(victims) >= 3:
                break
            time.sleep(0.002)
            continue
        worker = worker_of(process.pid)
        if worker is not None and worker not in victims:
            victims.add(worker)
            os.kill(worker, number)
        os.close(writer)
    out, err = process.communicate(timeout=PATIENCE_S)
    results = {result["id"]: result for result in results_of(out)}
    check(process.returncode == 0 and list(results) == ["0.wav", "1.wav", "fifo.wav", "2.wav"], f"{out} {err}")
    crashed = results.pop("fifo.wav")
    text = f"its process was killed by signal {int(number)} ("
    check(crashed["error"]["code"] == "crashed" and crashed["error"]["message"].startswith(text)
          and crashed["attempts"] == len(victims), f"{crashed}, {len(victims)} kills")
    for name, result in results.items():
        check(result["status"] == "ok", f"{name} beside a row that kills: {result}")


def test_hang():
    """A row that is never done, between others, which are."""
    os.mkfifo(WORK / "nobody.wav")
    names = ("0.wav", "nobody.wav", "1.wav")
    manifest = write_rows("hang.jsonl", [{"audio_filepath": name, "id": name} for name in names])
    for limit in (1, 4, 16):  # on a busy machine the others take long, too
        code, out, err = run(["worker"], "--row-timeout", str(limit), "--row-timeout-factor", "0", rows=manifest)
        found = {result["id"]: result for result in results_of(out)}
        hung = found["nobody.wav"]
        check(code == 0 and hung["error"]["code"] == "timeout" and hung["attempts"] == 2, f"{code} {hung} {err}")
        if [found[name]["status"] for name in names] == ["ok", "failed", "ok"]:
            break
    else:
        check(False, f"rows beside one that hangs: {found}")
    code, _, err = run(["worker"], "--row-timeout", "1", "--isolate", "off", rows=manifest)
    check(code == 2 and "--isolate" in err, f"--row-timeout without a process: {code} {err}")


def test_signals():
    rows = [{"audio_filepath": "0.wav", "id": i} for i in range(5000)]
    manifest = write_rows("many.jsonl", rows)
    for isolate in ("on", "off"):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = start(["worker"], "--isolate", isolate, "-q", stdin=open(WORK / manifest, "rb"),
                            bufsize=0)  # communicate() knows nothing of a buffer that readline() has filled
            first = process.stdout.readline()
            sent = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE_S)
            passed = time.monotonic() - sent
            check(process.returncode == 128 + number and passed < SIGNAL_LIMIT_S,
                  f"{number.name}, --isolate {isolate}: exit code {process.returncode} in {passed:.2f} s {err}")
            ids = [result["id"] for result in results_of(first + out)]
            check(ids == sorted(ids) and len(ids) < len(rows), f"{number.name}: results {ids[:20]}")
    process = start(["worker"], stdin=subprocess.PIPE)  # nothing to do
    time.sleep(0.3)
    process.terminate()
    check(process.wait(PATIENCE_S) in (143, -15), f"SIGTERM while idle: {process.returncode}")


def manifest_run(*arguments):
    return run(["transcribe", "-q"], *arguments)


def test_manifest(rows, manifest, expected):
    summary = str(WORK / "summary.json")
    code, out, err = manifest_run("--manifest", manifest, "--summary", summary)
    check(code == 1 and list(map(without_chance, results_of(out))) == list(map(without_chance, expected)),
          f"transcribe --manifest: {code} {out} {err}")
    found = json.loads(Path(summary).read_text())
    n_failed = sum(result["status"] == "failed" for result in expected)
    check((found["rows"], found["failed"]) == (len(rows), n_failed), f"{found}")
    check_schemas([row for row, result in zip(rows, expected) if result["status"] == "ok"], expected, found)
    of_shards = []
    for i in range(1, 4):
        code, out, _ = manifest_run("--manifest", manifest, "--shard", f"{i}/3")
        of_shards.append(results_of(out))
    dealt = [of_shards[i % 3][i // 3] for i in range(len(rows))]
    check(list(map(without_chance, dealt)) == list(map(without_chance, expected)), "shards")
    job = {**os.environ, "JOB_COMPLETION_INDEX": "1", "WHISPER_NPU_SHARDS": "3"}
    code, out, err = run(["transcribe"], "--manifest", manifest, "--shard", "auto", env=job)
    check(list(map(without_chance, results_of(out))) == list(map(without_chance, of_shards[1])), "--shard auto")
    check("shard 2/3, by JOB_COMPLETION_INDEX=1 WHISPER_NPU_SHARDS=3" in err, f"--shard auto: {err}")
    # Another folder's rows are below the manifest's own.
    code, out, _ = run(["transcribe", "-q"], "--manifest", str(WORK / manifest), cwd="/")
    check([r["status"] for r in results_of(out)] == [r["status"] for r in expected], "relative paths")
    twice = write_rows("twice.jsonl", [{"audio_filepath": "0.wav"}, {"audio_filepath": "1.wav"}, "",
                                       {"audio_filepath": "0.wav", "text": "x"}])
    code, out, err = manifest_run("--manifest", twice)
    check((code, out) == (2, b"") and "in lines 1 and 4" in err, f"ids: {code} {err}")
    text = (WORK / manifest).read_text()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        (WORK / "utf16.jsonl").write_bytes(text.encode(encoding))
        refused(2, "utf16.jsonl: expected UTF-8, found UTF-16", "--manifest", "utf16.jsonl")


def refused(code, text, *arguments):
    found = manifest_run(*arguments)
    check(found[0] == code and text in found[2], f"{arguments}: expected {code} {text}, found {found}")


def test_resume(manifest, expected):
    out = WORK / "out.jsonl"
    whole = WORK / "whole.jsonl"
    options = ["--manifest", manifest, "--resume", str(out)]
    check(manifest_run("--manifest", manifest, "--output", str(whole))[0] == 1, "--output")
    refused(6, "is there already", "--manifest", manifest, "--output", str(whole))
    text = whole.read_bytes()
    # Wherever its writer was killed.
    for size in [0, len(text)] + [random.randrange(len(text)) for _ in range(4)]:
        out.write_bytes(text[:size])
        check(manifest_run(*options)[0] == 1, "--resume")
        found = list(map(without_chance, results_of(out.read_bytes())))
        check(found == list(map(without_chance, expected)), f"--resume behind {size} bytes: {found}")
    refused(2, "options_sha256", *options, "--beam-size", "2")
    test_what_stays(manifest, text)
    # Whatever digits an id was written with.
    numbers = write_rows("numbers.jsonl", [f'{{"audio_filepath": "0.wav", "id": {each}}}'
                                           for each in ("1.50", "1e3", "123456789012345678901234567890", "-0.0")])
    by_number = WORK / "by_number.jsonl"
    for _ in range(2):
        found = manifest_run("--manifest", numbers, "--resume", str(by_number))
        check(found[0] == 0 and len(results_of(by_number.read_bytes())) == 4, f"ids in other digits: {found}")
    other = json.loads(text.splitlines()[0])
    out.write_text(json.dumps({**other, "model_sha256": "0" * 64}) + "\n")
    refused(2, "model_sha256", *options)
    out.write_bytes(text)
    refused(2, "and shard", *options, "--shard", "1/2")
    out.write_text("no result\n")
    refused(2, "expected a result", *options)
    out.write_bytes(text + text.splitlines(True)[0])
    refused(2, "found two in lines 1 and", *options)
    out.write_bytes(text)
    shutil.copy(WORK / "0.wav", WORK / "later.mp3")
    code, _, err = manifest_run(*options, "--retry-failed")
    (WORK / "later.mp3").unlink()
    found = {str(result["id"]): result for result in results_of(out.read_bytes())}
    later = next(result for result in found.values() if result.get("audio_filepath") == "later.mp3")
    check(code == 1 and len(found) == len(expected) and later["status"] == "ok", f"--retry-failed: {later} {err}")


def test_what_stays(manifest, text):
    """Files that are no results of this manifest, and results where the work cannot begin."""
    recording = (WORK / "long.wav").read_bytes()
    no_lines = WORK / "no_lines"
    for contents in (bytes(100000), b'{"a": 1}', text.splitlines()[0][:40] + b"x", b"x", recording):
        no_lines.write_bytes(contents)
        code = 6 if contents == recording else 2
        refused(code, "expected", "--manifest", manifest, "--resume", str(no_lines))
        check(no_lines.read_bytes() == contents, f"--resume changed {contents[:50]}")
    refused(6, "no result replaces", "--manifest", manifest, "--output", str(no_lines), "--overwrite")
    check(no_lines.read_bytes() == recording, "--output --overwrite replaced a recording")
    no_lines.write_bytes(text)
    fresh = WORK / "fresh.jsonl"
    for code, part, *fault in ((3, "", "--model", str(WORK / "missing")), (2, "", "--language", "xx")):
        refused(code, part, "--manifest", manifest, "--output", str(no_lines), "--overwrite", *fault)
        check(no_lines.read_bytes() == text, f"{fault}: the old results are gone")
        for option in ("--output", "--resume"):
            refused(code, part, "--manifest", manifest, option, str(fresh), *fault)
            check(not fresh.exists(), f"{fault}: {option} left an empty file")


def test_kills(manifest, expected):
    """kill -9 of the program, its worker or both at random moments, until nothing is left to do."""
    seed = random.randrange(2**32)
    print(f"kill -9: seed {seed}")
    random.seed(seed)
    out = WORK / "killed.jsonl"
    arguments = ["--manifest", manifest, "--resume", str(out), "--max-attempts", "100", "-q"]
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    begin = time.monotonic()
    run(["transcribe"], *arguments, env=environment)
    duration_s = time.monotonic() - begin
    n_killed = 0
    while n_killed < N_KILLS:
        out.unlink(missing_ok=True)
        while True:
            process = start(["transcribe"], *arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env=environment)
            time.sleep(random.uniform(0, duration_s))
            worker = worker_of(process.pid)
            if n_killed < N_KILLS and process.poll() is None:
                for pid in random.choice([[process.pid], [worker], [process.pid, worker]]):
                    if pid is not None:
                        n_killed += 1
                        try:
                            os.kill(pid, signal.SIGKILL)
                        except ProcessLookupError:
                            pass
            if process.wait(PATIENCE_S) in (0, 1):
                break
            wait_until(lambda: worker is None or status(worker)[0] is None, "a worker outlives its supervisor")
        found = list(map(without_chance, results_of(out.read_bytes())))
        check(found == list(map(without_chance, expected)), f"results after kills: {found}")


def main():
    subprocess.run([WRITE_NANO_MODEL, str(WORK)], check=True)
    names = [f"{i}.wav" for i in range(4)]
    for i, name in enumerate(names):
        write_wav(WORK / name, 0.3 + 0.2 * i, 0.05 + 0.03 * i)
    write_wav(WORK / "long.wav", 7, 0.04)
    (WORK / "broken.bin").write_text("no audio")
    rows = [{"audio_filepath": names[0], "text": "Hello there.", "more": {"a": [1, None]}},
            {"audio_filepath": "broken.bin"},
            {"audio_filepath": "file://" + str(WORK / names[1]), "id": "one", "lang": "en"},
            "{no row",
            {"audio_filepath": "later.mp3", "id": 7},
            {"audio_filepath": "long.wav", "offset": 1.5, "duration": 2},
            {"audio_filepath": "long.wav", "offset": 4},
            {"audio_filepath": names[2], "id": 1.5},
            {"id": "no path"},
            {"audio_filepath": names[3]}]
    manifest = write_rows("rows.jsonl", rows)
    expected = test_rows(rows, manifest)
    test_stretches()
    test_live_rows()
    for number in (signal.SIGABRT, signal.SIGKILL):  # SEGV is a report of its own with ASan
        test_killer(number)
    test_hang()
    test_signals()
    test_manifest(rows, manifest, expected)
    by_manifest = results_of(manifest_run("--manifest", manifest)[1])
    test_resume(manifest, by_manifest)
    test_kills(manifest, by_manifest)
    print("worker: all as documented")


try:
    main()
finally:
    shutil.rmtree(WORK)
