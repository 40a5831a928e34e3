#!/usr/bin/env python3
"""What `whisper-npu stream` holds in memory over hours of audio, which come as fast as they are taken.

By hand: stream_growth.py PROGRAM WRITE_MODELS HOURS [OPTION...]. Sounds that come and go, a small model of
random weights, loudness for a detector; with OPTIONs (--model tiny.en) what they say. Prints resident
memory and final events at each tenth; exit code 1 where the last half grew by more than 4 MB."""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import array

RATE = 16000


def minute(seed):
    """Tones of random lengths between silences, of which some are long; a word of the random model each."""
    values, samples = random.Random(seed), array.array("h")
    while len(samples) < 60 * RATE:
        pitch, n = values.uniform(0.05, 0.4), int(values.uniform(0.3, 9) * RATE)
        samples.extend(int(9000 * math.sin(i * pitch)) for i in range(n))
        samples.extend([0] * int(values.choice([0.2, 0.6, 2, 5]) * RATE))
    return samples[:60 * RATE].tobytes()


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def main():
    program, write_models, hours, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([write_models, folder], check=True)
        if not options:
            os.environ["XDG_CACHE_HOME"] = folder
            options = ["--model", folder + "/multilingual.bin", "--language", "en", "--threads", "1", "--logprob-threshold", "None",
                       "--compression-ratio-threshold", "None", "--no-speech-threshold", "None"]
        command = [program, "stream", "-q", "--stdin-format", f"s16le:{RATE}:1", "--format", "jsonl", *options]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        counts = {"final": 0, "partial": 0}

        def count():
            for line in process.stdout:
                counts[json.loads(line)["type"]] += 1

        reader = threading.Thread(target=count)
        reader.start()
        minutes = [minute(seed) for seed in range(10)]
        n_minutes, held = int(float(hours) * 60), []
        for i in range(n_minutes):
            process.stdin.write(minutes[i % len(minutes)])
            if (i + 1) % max(1, n_minutes // 10) == 0:
                held.append(resident_mb(process.pid))
                print(f"{(i + 1) / 60:6.2f} h: {held[-1]:6.1f} MB, {counts['final']} final events", flush=True)
        process.stdin.close()
        reader.join()
        code = process.wait()
    grown = held[-1] - held[len(held) // 2]
    print(f"exit code {code}, {grown:+.1f} MB in the last half")
    return 0 if code == 0 and counts["final"] > 0 and grown <= 4 else 1


if __name__ == "__main__":
    sys.exit(main())
