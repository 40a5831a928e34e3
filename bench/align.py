#!/usr/bin/env python3
"""align.py CORPUS ALIGN... [--peer PYTHON]

Word times of `align` beside what is known: utterances of CORPUS (its LibriSpeech ones: ls_*.flac) one after the
other, whose borders are known; the text whole, and with sentences left out, doubled and changed places. ALIGN is
a command that takes --text FILE RECORDING and writes JSON: whisper-npu align --model tiny.en --format json.
Prints a table: deviation of an utterance's first and last word from its own speech (above 40 dB below its loudest
20 ms) in ms, and of words in a changed text, how many were marked rightly. --peer: a python with stable-ts."""
import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import numpy as np

RATE = 16000


def samples_of(path):
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"]
    return np.frombuffer(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout, np.int16)


def speech_of(samples):
    """Seconds at which its speech begins and ends."""
    frames = samples[:len(samples) // 160 * 160].astype(np.float64).reshape(-1, 160)
    power = np.convolve((frames ** 2).mean(axis=1), [0.5, 0.5], "same")
    loud = np.flatnonzero(power > power.max() * 1e-4)
    return loud[0] / 100, (loud[-1] + 1) / 100


def utterances(corpus):
    with open(corpus / "manifest.tsv", encoding="utf-8") as rows:
        table = [row for row in csv.DictReader(rows, delimiter="\t") if row["file"].startswith("ls_")]
    found = []
    for row in table:
        samples = samples_of(corpus / row["file"])
        start, end = speech_of(samples)
        found.append((row["reference"].strip(), samples, start, end))
    return found


def write_wav(path, samples):
    import wave
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(samples.tobytes())


def aligned(command, text, recording):
    start = time.perf_counter()
    done = subprocess.run([*command, "--text", text, recording], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout), time.perf_counter() - start


PEER = """
import json, sys
import stable_whisper
model = stable_whisper.load_faster_whisper(sys.argv[3], compute_type="float32")
text = open(sys.argv[2]).read()
result = model.align(sys.argv[1], text, language="en", original_split=True)
words = lambda s: [dict(word=w.word, start=w.start, end=w.end, probability=w.probability) for w in s.words]
print(json.dumps({"segments": [dict(start=s.start, end=s.end, text=s.text, words=words(s)) for s in result.segments]}))
"""


def is_spoken(segment):
    return any(word["probability"] > 0 and word["end"] > word["start"] for word in segment["words"])


def judge(name, document, lines, spoken_at):
    """lines: the utterance that each line of the text is; spoken_at: its speech, seconds; none: not in the recording."""
    deviations, wrong, smeared = [], 0, 0.0
    for segment, line in zip(document["segments"], lines):
        at = spoken_at.get(line)
        if at is None or not is_spoken(segment):
            wrong += (at is None) == is_spoken(segment)
            smeared += sum(w["end"] - w["start"] for w in segment["words"]) if at is None else 0
            continue
        deviations += [abs(segment["start"] - at[0]), abs(segment["end"] - at[1])]
    ms = sorted(1000 * each for each in deviations)
    below = sum(each < 200 for each in ms) / max(1, len(ms))
    p95 = ms[int(0.95 * (len(ms) - 1))] if ms else 0
    return f"| {name} | {len(lines)} | {statistics.median(ms):.0f} | {p95:.0f} | {100 * below:.0f} % | {wrong} | {smeared:.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    parser.add_argument("--peer")
    parser.add_argument("--peer-model")
    options, more = parser.parse_known_args()
    command = options.command + more
    found = utterances(options.corpus)
    chance = random.Random(1)
    at, parts, spoken = 0.0, [], {}
    for i, (_, samples, start, end) in enumerate(found):
        spoken[i] = (at + start, at + end)
        parts.append(samples)
        at += len(samples) / RATE
    every = list(range(len(found)))
    left_out = set(chance.sample(every, len(every) // 5))
    swapped = every[:]
    for i in range(2, len(swapped) - 1, 6):
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    # Name, lines of the text, utterances of the recording.
    cases = [("whole", every, every), ("sentences missing in the text", [i for i in every if i not in left_out], every),
             ("sentences missing in the recording", every, [i for i in every if i not in left_out])]
    print(f"{len(found)} utterances, {at:.0f} s\n")
    print("| case | lines | median ms | p95 ms | below 200 ms | lines marked wrongly | seconds given to lines not said |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        recording, text = f"{folder}/talk.wav", f"{folder}/talk.txt"
        for name, lines, said in cases:
            at, times = 0.0, {}
            for i in said:
                times[i] = (at + found[i][2], at + found[i][3])
                at += len(found[i][1]) / RATE
            write_wav(recording, np.concatenate([found[i][1] for i in said]))
            pathlib.Path(text).write_text("".join(found[i][0] + "\n" for i in lines), encoding="utf-8")
            document, took = aligned(command, text, recording)
            print(judge(f"{name} ({took:.1f} s)", document, lines, times), flush=True)
            if options.peer:
                done = subprocess.run([options.peer, "-c", PEER, recording, text, options.peer_model],
                                      stdout=subprocess.PIPE, check=True)
                print(judge(f"{name}, stable-ts", json.loads(done.stdout), lines, times), flush=True)
        doubled = [i for i in every for _ in range(2 if i in left_out else 1)]
        for name, lines in (("doubled", doubled), ("swapped", swapped)):
            write_wav(recording, np.concatenate([each[1] for each in found]))
            pathlib.Path(text).write_text("".join(found[i][0] + "\n" for i in lines), encoding="utf-8")
            document, took = aligned(command, text, recording)
            n = sum(not is_spoken(each) for each in document["segments"])
            print(f"{name} in the text: {n} of {len(lines)} lines not spoken, "
                  f"{len(document.get('extra_speech', []))} stretches of other speech, {took:.1f} s")


if __name__ == "__main__":
    main()
