#!/usr/bin/env python3
"""align.py CORPUS ALIGN... [--peer MODEL] [--speakers GLOB]

Word times of `align` beside others' on English recordings of CORPUS (manifest.tsv), one after the other. ALIGN is a
command that takes --text FILE RECORDING and writes JSON: whisper-npu align --model tiny.en --format json.
True times: pocketsphinx 5 (an HMM with phones of 10 ms) on each recording by itself; on LDC93S1.wav it is within 50 ms
of TIMIT's hand labels at all but one of 22 borders. Recordings with words outside its dictionary are heard and have no
true times. Cases: the text as it is; sentences that the text lacks, that the recording lacks, twice in the text, in
another order. Prints a table: deviation of starts and ends; words marked wrongly: said for not said, and the reverse.
--peer: stable-ts on faster-whisper with this model folder. Needs numpy, pocketsphinx; stable-ts, faster-whisper."""
import argparse
import csv
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import wave

import numpy as np

RATE = 16000
KINDS = {"en-short", "en-digits"}
PAUSE_S = 0.4  # between recordings


def samples_of(path):
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"]
    return np.frombuffer(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout, np.int16)


def words_of(text):
    return re.findall(r"[a-z']+", text.lower())


class Truth:
    def __init__(self):
        from pocketsphinx import Decoder
        self.decoder = Decoder(samprate=RATE, bestpath=False, loglevel="FATAL")

    def times(self, samples, text):
        """(start, end) of each word; none where a word is unknown."""
        words = words_of(text)
        if any(self.decoder.lookup_word(word) is None for word in words):
            return None
        self.decoder.set_align_text(" ".join(words))
        self.decoder.start_utt()
        self.decoder.process_raw(samples.tobytes(), full_utt=True)
        self.decoder.end_utt()
        found = [(re.sub(r"\(\d\)", "", s.word), s.start_frame / 100, (s.end_frame + 1) / 100) for s in self.decoder.seg()]
        found = [each for each in found if each[0][0].isalpha()]
        return [each[1:] for each in found] if [each[0] for each in found] == words else None


def utterances(corpus):
    truth = Truth()
    with open(corpus / "manifest.tsv", encoding="utf-8") as rows:
        table = [row for row in csv.DictReader(rows, delimiter="\t") if row["lang"] == "en" and row["kind"] in KINDS]
    found = []
    for row in table:
        text = " ".join(row["reference"].split())
        samples = samples_of(corpus / row["file"])
        level = np.sqrt((samples.astype(np.float64) ** 2).mean())
        samples = (samples * min(2000 / level, 32000 / np.abs(samples.astype(np.int32)).max())).astype(np.int16)
        found.append((text, samples, truth.times(samples, text)))
    return found


def write_recording(path, parts):
    """Starts of the parts, seconds."""
    silence = np.zeros(int(PAUSE_S * RATE), np.int16)
    starts, at = [], 0
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        for part in parts:
            starts.append(at / RATE)
            out.writeframes(part.tobytes() + silence.tobytes())
            at += len(part) + len(silence)
    return starts


PEER = """
import json, sys
import stable_whisper
model = stable_whisper.load_faster_whisper(sys.argv[3], compute_type="float32", cpu_threads=2)
result = model.align(sys.argv[1], open(sys.argv[2]).read(), language="en", original_split=True)
words = lambda s: [dict(word=w.word, start=w.start, end=w.end, probability=w.probability) for w in s.words]
print(json.dumps({"segments": [dict(words=words(s)) for s in result.segments]}))
"""


def letters(text):
    return len(re.sub(r"[^a-z0-9]", "", text.lower()))


def words_by_line(document, texts):
    """Of each text its words: a document's segments may be other than its lines."""
    words = iter([word for segment in document["segments"] for word in segment["words"] if letters(word["word"])])
    for text in texts:
        of_line, left = [], letters(text)
        while left > 0 and (word := next(words, None)) is not None:
            of_line.append(word)
            left -= letters(word["word"])
        yield of_line


def is_said(word):
    return word["probability"] > 0 and word["end"] > word["start"]


def judge(document, lines, found, place):
    """lines: utterances of the text, in its order; place: where those of the recording begin, seconds."""
    starts, ends, not_said, missed, n_absent, n_present = [], [], 0, 0, 0, 0
    copies = {}
    for line, words in zip(lines, words_by_line(document, [found[line][0] for line in lines])):
        copies.setdefault(line, []).append(words)
    for line, texts in copies.items():
        said = sorted((sum(map(is_said, words)) for words in texts), reverse=True)
        absent = sum(map(len, texts)) - (len(texts[0]) if line in place else 0)
        n_absent += absent
        not_said += sum(said) - (said[0] if line in place else 0)
        if line not in place:
            continue
        words = max(texts, key=lambda each: sum(map(is_said, each)))
        n_present += len(words)
        missed += len(words) - said[0]
        true = found[line][2]
        if true is None or len(true) != len(words):
            continue
        for word, (start, end) in zip(words, true):
            if is_said(word):
                starts.append(1000 * (word["start"] - place[line] - start))
                ends.append(1000 * (word["end"] - place[line] - end))
    off = np.abs(starts + ends)
    return (f"{statistics.median(off):.0f} | {np.percentile(off, 95):.0f} | {100 * np.mean(off < 200):.1f} % | "
            f"{statistics.median(starts):+.0f}, {statistics.median(ends):+.0f} | {missed} of {n_present} | {not_said} of {n_absent}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0], description=__doc__.split("\n\n")[1])
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    parser.add_argument("--peer", help="model folder of faster-whisper, for stable-ts")
    options, more = parser.parse_known_args()
    found = utterances(options.corpus)
    chance = random.Random(1)
    every = list(range(len(found)))
    left_out = set(chance.sample(every, len(every) // 5))
    kept = [i for i in every if i not in left_out]
    swapped = every[:]
    for i in range(2, len(swapped) - 1, 6):
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    cases = [("as it is", every, every), ("the text lacks some", kept, every), ("the recording lacks some", every, kept),
             ("some twice in the text", [i for i in every for _ in range(1 + (i in left_out))], every),
             ("some swapped in the text", swapped, every)]
    print("| text | by | seconds | median ms | p95 ms | below 200 ms | median of starts, ends | said, not found | not said, found |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        recording, text = f"{folder}/talk.wav", f"{folder}/talk.txt"
        commands = [("align", options.command + more + ["--text", text, recording])]
        if options.peer:
            commands.append(("stable-ts", [sys.executable, "-c", PEER, recording, text, options.peer]))
        for name, lines, said in cases:
            place = dict(zip(said, write_recording(recording, [found[i][1] for i in said])))
            pathlib.Path(text).write_text("".join(found[i][0] + "\n" for i in lines), encoding="utf-8")
            for who, command in commands:
                begin = time.perf_counter()
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
                took = time.perf_counter() - begin
                print(f"| {name} | {who} | {took:.1f} | {judge(json.loads(done.stdout), lines, found, place)} |", flush=True)


if __name__ == "__main__":
    main()
