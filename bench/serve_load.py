#!/usr/bin/env python3
"""Load on a server that has OpenAI's POST /v1/audio/transcriptions, or whisper.cpp's /inference.

    serve_load.py cut FOLDER SOURCE... [--pieces SECONDS:COUNT,...]
    serve_load.py run URL FOLDER [--clients N] [--seconds S] [--expected FOLDER] [--field NAME=VALUE]...

cut writes recordings for it: WAV pieces, 16 kHz mono, of the sources behind one another (FFmpeg reads
them), which begin again where they end. run plays N clients, each of which sends a recording, waits for
its text and sends the next; the recordings come in an order that the seed decides, each once, and with
--seconds again and again until no more are sent at that time. It prints JSON:

- throughput: seconds of audio a second, from the first request to the last answer; with --seconds up to
  that time, with a share by time of the recordings that were at work then
- latency: seconds from a request to its whole answer, by length of the recording; what was refused
  (429, 503) is sent again after Retry-After, and that wait counts; with --warm-up requests of the first
  seconds, when all clients begin at once, are left out
- texts: how many are, but for white space, those of FOLDER/NAME.txt (whisper-npu --output-dir), and
  the names of the others
- errors: of each kind, how many; they have no part in the figures above
"""
import argparse
import collections
import http.client
import itertools
import json
import pathlib
import random
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid
import wave

RATE = 16000
CLASSES = (5, 30, 120, float("inf"))  # upper ends, in seconds


def cut(options):
    samples = b"".join(
        subprocess.run(["ffmpeg", "-v", "error", "-i", source, "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout for source in options.sources)
    if not samples:
        sys.exit("serve_load.py: expected sound in the sources, found none")
    options.folder.mkdir(parents=True, exist_ok=True)
    at = 0
    for length, count in (map(int, piece.split(":")) for piece in options.pieces.split(",")):
        for number in range(count):
            size = 2 * RATE * length
            repeats = (at + size) // len(samples) + 1
            with wave.open(str(options.folder / f"{length:03}s_{number:02}.wav"), "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes((samples * repeats)[at:at + size])
            at = (at + size) % len(samples)


class Recording:
    def __init__(self, path, expected):
        self.name = path.name
        with wave.open(str(path)) as file:
            self.seconds = file.getnframes() / file.getframerate()
        self.content = path.read_bytes()
        text = expected and expected / (path.stem + ".txt")
        self.expected = text.read_text(encoding="utf-8").split() if text and text.exists() else None
        end = next(end for end in CLASSES if self.seconds <= end)
        self.length = f"up to {end} s" if end < CLASSES[-1] else f"over {CLASSES[-2]} s"


def body_of(recording, fields, boundary):
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields]
    head = (f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{recording.name}"\r\n'
            "Content-Type: audio/wav\r\n\r\n")
    return "".join(parts).encode() + head.encode() + recording.content + f"\r\n--{boundary}--\r\n".encode()


class Load:
    def __init__(self, options):
        self.options = options
        self.url = urllib.parse.urlsplit(options.url)
        self.path = self.url.path if len(self.url.path) > 1 else "/v1/audio/transcriptions"
        self.fields = [field.split("=", 1) for field in options.field]
        paths = sorted(options.folder.glob("*.wav"))
        self.recordings = [Recording(path, options.expected) for path in paths]
        if not self.recordings:
            sys.exit(f"serve_load.py: {options.folder}: expected recordings (*.wav), found none")
        self.lock = threading.Lock()
        self.deck = self.dealt()
        self.latencies = collections.defaultdict(list)
        self.errors = collections.Counter()
        self.n_answers, self.refused, self.last_answer, self.audio_s, self.audio_in_time_s = 0, 0, 0.0, 0.0, 0.0
        self.n_equal, self.different = 0, set()

    def dealt(self):
        order = random.Random(self.options.seed)
        for _ in itertools.count() if self.options.seconds else range(1):
            yield from order.sample(self.recordings, len(self.recordings))

    def next(self):
        with self.lock:
            is_over = self.options.seconds and time.monotonic() - self.begin > self.options.seconds
            return None if is_over else next(self.deck, None)

    def post(self, recording):
        """Status, headers and body of the answer."""
        boundary = uuid.uuid4().hex
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        if self.options.api_key:
            headers["Authorization"] = f"Bearer {self.options.api_key}"
        kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.url.netloc, timeout=self.options.timeout)
        try:
            connection.request("POST", self.path, body_of(recording, self.fields, boundary), headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def text_of(self, recording):
        while True:
            status, headers, body = self.post(recording)
            if status not in (429, 503):
                break
            with self.lock:
                self.refused += 1
            time.sleep(float(headers.get("Retry-After", 1)))
        if status != 200:
            raise ValueError(f"status {status}: {body[:200].decode(errors='replace')}")
        return json.loads(body)["text"]

    def client(self):
        while (recording := self.next()) is not None:
            start = time.monotonic()
            try:
                text = self.text_of(recording)
            except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
                with self.lock:
                    self.errors[f"{type(error).__name__}: {error}"] += 1
                continue
            with self.lock:
                self.note(recording, text, start, time.monotonic())

    def note(self, recording, text, start, end):
        self.n_answers += 1
        self.last_answer = max(self.last_answer, end)
        if start - self.begin >= self.options.warm_up:
            self.latencies[recording.length].append(end - start)
        self.audio_s += recording.seconds
        time_left = self.begin + self.options.seconds - start if self.options.seconds else end - start
        self.audio_in_time_s += recording.seconds * min(1.0, time_left / (end - start))
        if recording.expected == text.split():
            self.n_equal += 1
        elif recording.expected is not None:
            self.different.add(recording.name)

    def run(self):
        self.begin = self.last_answer = time.monotonic()
        threads = [threading.Thread(target=self.client) for _ in range(self.options.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wall_s = self.last_answer - self.begin
        counted_s = min(wall_s, self.options.seconds or wall_s)
        return {
            "url": self.options.url,
            "clients": self.options.clients,
            "wall_s": round(wall_s, 2),
            "requests": self.n_answers,
            "audio_s": round(self.audio_s, 1),
            "throughput": round(self.audio_in_time_s / counted_s, 2) if wall_s else 0,
            "latency": {length: summary(times) for length, times in sorted(self.latencies.items())},
            "texts": {"equal": self.n_equal, "different": sorted(self.different)},
            "refused": self.refused,
            "errors": self.errors,
        }


def summary(times):
    times = sorted(times)
    return {"requests": len(times)} | {
        name: round(times[min(len(times) - 1, int(share * len(times)))], 3) for name, share in (("p50_s", 0.5), ("p95_s", 0.95))}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    cutter = commands.add_parser("cut")
    cutter.set_defaults(action=cut)
    cutter.add_argument("folder", type=pathlib.Path)
    cutter.add_argument("sources", nargs="+")
    cutter.add_argument("--pieces", default="3:32,10:16,30:8,120:4,600:2", help="seconds:count,... (%(default)s)")
    runner = commands.add_parser("run")
    runner.set_defaults(action=lambda options: print(json.dumps(Load(options).run(), indent=1)))
    runner.add_argument("url", help="http://host:port, or with a path of its own")
    runner.add_argument("folder", type=pathlib.Path)
    runner.add_argument("--clients", type=int, default=64)
    runner.add_argument("--seconds", type=float, help="without it each recording is sent once")
    runner.add_argument("--warm-up", type=float, default=0)
    runner.add_argument("--expected", type=pathlib.Path)
    runner.add_argument("--field", action="append", default=[], help="of the form, as model=tiny.en")
    runner.add_argument("--api-key")
    runner.add_argument("--timeout", type=float, default=3600, help="seconds without an answer")
    runner.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = parse_options()
    chosen.action(chosen)
