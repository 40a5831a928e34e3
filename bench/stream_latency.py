#!/usr/bin/env python3
"""How long after a word's end `whisper-npu stream` says it, and with how many errors.

    stream_latency.py PROGRAM MANIFEST.tsv FILE... [--python PYTHON] [--real-time] [-- OPTION...]

plays recordings of a manifest (file, reference, ... as the corpus has it) to the program and prints a line
of each: median and 95th percentile of the time from a word's end to its final event, word error rates of
stream and of the whole file, and processor time. Without --real-time the audio's own clock counts
(--pace audio): `latency` is audio that was heard since the word's end, and to it comes `work`, what the
call took. With --real-time a feeder plays 100 ms each 100 ms, and the wall clock counts.

A word's end is that of the transcript of the whole file, where both have the word; so an error of the
stream's own times does not flatter it. Word errors are openai-whisper's English normaliser's, by
normalize.py, for which PYTHON has the package whisper-normalizer. OPTIONs go to stream; those that
transcribe knows as well can be given to both with --both."""
import argparse
import csv
import difflib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

RATE = 16000
HERE = pathlib.Path(__file__).resolve().parent


def samples_of(path):
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def feed(pipe, samples, real_time):
    """Writes the samples; in steps of 100 ms at the time of their last one where that is asked for."""
    start = time.monotonic()
    step = RATE // 10 * 2 if real_time else len(samples)
    try:
        for at in range(0, len(samples), step):
            end = min(at + step, len(samples))
            if real_time:
                time.sleep(max(0.0, start + end / 2 / RATE - time.monotonic()))
            pipe.write(samples[at:end])
            pipe.flush()
        pipe.close()
    except BrokenPipeError:
        pass
    return start


def stream(program, samples, real_time, options):
    """Final events, each with the wall clock's `arrival` since the first sample, and processor seconds."""
    pace = "live" if real_time else "audio"
    command = [program, "stream", "-q", "--stdin-format", f"s16le:{RATE}:1", "--format", "jsonl", "--pace", pace, *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if real_time:
        time.sleep(1)  # the model is loaded once, before anybody speaks
    start = time.monotonic()
    feeder = threading.Thread(target=feed, args=(process.stdin, samples, real_time))
    feeder.start()
    finals = []
    for line in process.stdout:
        event = json.loads(line)
        if event["type"] == "final":
            finals.append(event | {"arrival": time.monotonic() - start})
    feeder.join()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"stream ended with {os.waitstatus_to_exitcode(status)}")
    return finals, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def whole_file(program, path, options):
    command = [program, "transcribe", "-q", "--format", "json", "--word-timestamps", "True", *options, path]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def bare(word):
    return "".join(c for c in word.lower() if c.isalnum())


def latencies(finals, words):
    """(latency of the audio, with work or of the wall clock) of words that the whole file has too."""
    said = [(bare(word["word"]), event) for event in finals for word in event["words"]]
    known = [bare(word["word"]) for word in words]
    matcher = difflib.SequenceMatcher(None, [word for word, _ in said], known, autojunk=False)
    pairs = []
    for block in matcher.get_matching_blocks():
        for i in range(block.size):
            event, end = said[block.a + i][1], words[block.b + i]["end"]
            heard = event["end"] + event["latency"]
            pairs.append((heard - end, heard - end + event["work"], event["arrival"] - end))
    return pairs


class Normalizer:
    def __init__(self, python):
        self.process = subprocess.Popen([python, str(HERE / "normalize.py")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def words(self, text):
        self.process.stdin.write(json.dumps({"language": "en", "text": text}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise SystemExit("normalize.py: " + answer["error"])
        return answer["text"].split()


def n_errors(reference, heard):
    row = list(range(len(heard) + 1))
    for i, word in enumerate(reference, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def spread(values):
    values = sorted(values)
    return f"{statistics.median(values):5.2f} {values[min(len(values) - 1, int(len(values) * 0.95))]:5.2f}"


def main():
    words_of_ours, options = sys.argv[1:], []
    if "--" in words_of_ours:
        cut = words_of_ours.index("--")
        words_of_ours, options = words_of_ours[:cut], words_of_ours[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--both", nargs="*", default=[], metavar="OPTION=VALUE", help="without their dashes")
    asked = parser.parse_args(words_of_ours)
    both = ["--" + option for option in asked.both]
    with open(asked.manifest, newline="") as file:
        references = {row["file"]: row["reference"] for row in csv.DictReader(file, delimiter="\t")}
    normalizer = Normalizer(asked.python)
    totals = {"pairs": [], "errors": [0, 0], "words": 0, "cpu": 0.0, "seconds": 0.0}
    print("file                          words  audio: median p95  + work: median p95  wall: median p95  "
          "WER file  WER stream  CPU s/s  MB")
    for name in asked.files:
        path = str(asked.manifest.parent / name)
        samples = samples_of(path)
        whole = whole_file(asked.program, path, both)
        finals, cpu, peak = stream(asked.program, samples, asked.real_time, both + options)
        reference = normalizer.words(references[name])
        texts = [whole["text"], "".join(event["text"] for event in finals)]
        errors = [n_errors(reference, normalizer.words(text)) for text in texts]
        pairs = latencies(finals, whole["words"])
        seconds = len(samples) / 2 / RATE
        print_row(name, pairs, errors, len(reference), cpu / seconds, peak / 1024, asked.real_time)
        totals["pairs"] += pairs
        totals["errors"] = [a + b for a, b in zip(totals["errors"], errors)]
        totals["words"] += len(reference)
        totals["cpu"] += cpu
        totals["seconds"] += seconds
    print_row("all", totals["pairs"], totals["errors"], totals["words"], totals["cpu"] / totals["seconds"], 0,
              asked.real_time)


def print_row(name, pairs, errors, n_words, share, megabytes, real_time):
    columns = list(zip(*pairs))
    wall = spread(columns[2]) if real_time else "    -     -"
    print(f"{name:30}{len(pairs):5}       {spread(columns[0])}         {spread(columns[1])}       {wall}  "
          f"{100 * errors[0] / max(n_words, 1):7.2f}     {100 * errors[1] / max(n_words, 1):7.2f}   {share:6.3f} {megabytes:4.0f}",
          flush=True)


if __name__ == "__main__":
    main()
