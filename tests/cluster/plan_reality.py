#!/usr/bin/env python3
"""What `whisper-npu plan` says of a manifest, and what `transcribe --manifest` then takes: one shard, and two at once.
By hand, with real weights and nothing else running; rows are cut from the WAV files of a folder.
plan_reality.py PROGRAM MODEL FOLDER [ROWS] [SAMPLE]"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

PROGRAM, MODEL, FOLDER = sys.argv[1:4]
N_ROWS = int(sys.argv[4]) if len(sys.argv) > 4 else 60
SAMPLE = sys.argv[5] if len(sys.argv) > 5 else "16"
OPTIONS = ["--model", MODEL, "--device", "cpu", "--threads", "1", "--language", "en"]


def cut_rows(folder):
    """Rows of 1 to 60 s (log-normal), from recordings of 16 kHz that are long enough."""
    rng = random.Random(1)
    recordings = []
    for path in sorted(Path(FOLDER).glob("*.wav")):
        try:
            with wave.open(str(path)) as file:
                if file.getframerate() == 16000 and file.getnchannels() == 1 and file.getnframes() > 16000:
                    recordings.append((file.getparams(), file.readframes(file.getnframes())))
        except (wave.Error, EOFError, RuntimeError):  # broken ones
            pass
    rows = []
    while len(rows) < N_ROWS:
        parameters, samples = rng.choice(recordings)
        seconds = min(60.0, max(1.0, rng.lognormvariate(2, 0.8)))
        n = int(16000 * seconds) * parameters.sampwidth
        if n > len(samples):
            continue
        first = rng.randrange(0, (len(samples) - n) // parameters.sampwidth + 1) * parameters.sampwidth
        name = f"{len(rows)}.wav"
        with wave.open(str(folder / name), "wb") as file:
            file.setparams(parameters)
            file.writeframes(samples[first:first + n])
        rows.append({"audio_filepath": name, "duration": n / parameters.sampwidth / 16000})
    manifest = folder / "in.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return manifest


def planned(manifest, processes):
    done = subprocess.run([PROGRAM, "plan", "--manifest", manifest, "--machines", "1", "--processes", str(processes),
                           "--sample", SAMPLE, "--json", *OPTIONS], check=True, stdout=subprocess.PIPE, text=True)
    document = json.loads(done.stdout)
    return document["plans"][0], {each["name"]: each["value"] for each in document["numbers"]}


def taken(manifest, shards):
    begin = time.monotonic()
    processes = [subprocess.Popen([PROGRAM, "transcribe", "--manifest", manifest, "--shard", f"{i}/{shards}", "--resume",
                                   manifest.parent / f"{shards}-{i}.jsonl", *OPTIONS], stderr=subprocess.DEVNULL)
                 for i in range(1, shards + 1)]
    assert [process.wait() for process in processes] == [0] * shards
    return time.monotonic() - begin


def main():
    with tempfile.TemporaryDirectory() as name:
        manifest = cut_rows(Path(name))
        print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {N_ROWS} rows, {SAMPLE} measured")
        for shards in (1, 2):
            plan, numbers = planned(manifest, shards)
            wall_s = taken(manifest, shards)
            print(f"{shards} shards: planned {plan['wall_s']:.1f} s ({plan['wall_slow_s']:.1f} with slow rows), taken {wall_s:.1f} s; window {numbers['window_s']:.3f} s, second "
                  f"{numbers['second_s']:.4f} s, start {numbers['start_s']:.2f} s, load {numbers['load_s']:.2f} s, memory "
                  f"{numbers['memory'] / 1e6:.0f} MB, load now {os.getloadavg()[0]:.1f}")


main()
