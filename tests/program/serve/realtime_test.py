#!/usr/bin/env python3
"""whisper-npu serve's /v1/realtime as its clients see it: OpenAI's events by a WebSocket client of its own, sessions
that are too many, clients that leave, and what is no WebSocket. ctest runs it: realtime_test.py PROGRAM
WRITE_NANO_MODEL [speech]: with the latter real weights and a recording alone."""
import array
import base64
import hashlib
import json
import math
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

from serving import Server, status_of

from batch_of_recordings import check, quick_options
from patience import PATIENCE_S, patience

PROGRAM, WRITE_NANO_MODEL = sys.argv[1:3]
WORK = Path(tempfile.mkdtemp())
OPTIONS = [*quick_options(WORK / "nano/model"), "--logprob-threshold", "None", "--compression-ratio-threshold", "None"]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-npu"
# Loudness tells speech: the detector's weights are not there.
ENVIRONMENT = {"XDG_CACHE_HOME": str(WORK / "cache")}
PATH = "/v1/realtime?intent=transcription"
BETA = {"OpenAI-Beta": "realtime=v1"}
TRANSCRIPTION = "conversation.item.input_audio_transcription."


class Talk:
    """A client of RFC 6455."""

    def __init__(self, server, path=PATH, headers=None):
        self.socket = server.socket()
        fields = {"Host": f"127.0.0.1:{server.port}", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Version": "13",
                  **(headers or {})}
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.rest = b""
        self.closed = None
        self.head = b""
        while b"\r\n\r\n" not in self.head:
            self.head += self.exactly(1)
        self.status = status_of(self.head)

    def exactly(self, n):
        while len(self.rest) < n:
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError
            self.rest += piece
        found, self.rest = self.rest[:n], self.rest[n:]
        return found

    def frame(self, kind, content):
        mask = os.urandom(4)
        size = len(content)
        length = bytes([128 | size]) if size < 126 else struct.pack(">BH", 254, size) if size < 2**16 \
            else struct.pack(">BQ", 255, size)
        whole = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(content, "big") ^ int.from_bytes(whole, "big")).to_bytes(size, "big")
        self.socket.sendall(bytes([128 | kind]) + length + mask + masked)

    def send(self, kind, **fields):
        self.frame(1, json.dumps({"type": kind, **fields}).encode())

    def read(self):
        """The next event; None: the server has closed, with the code `closed`."""
        while True:
            kind, size = self.exactly(2)
            if size >= 126:
                size = struct.unpack(">H", self.exactly(2))[0] if size == 126 else struct.unpack(">Q", self.exactly(8))[0]
            content = self.exactly(size)
            if kind & 15 == 9:
                self.frame(10, content)
            elif kind & 15 == 8:
                self.closed = struct.unpack(">H", content[:2])[0]
                self.frame(8, content[:2])
                return None
            elif kind & 15 == 1:
                return json.loads(content)

    def until(self, kind):
        """The events up to the next of this kind, which is the last."""
        found = []
        while not found or found[-1]["type"] != kind:
            event = self.read()
            check(event is not None, f"{kind}: expected, found the end ({self.closed}) behind {found}")
            found.append(event)
        return found

    def append(self, samples, step=4800):
        for at in range(0, len(samples), step):
            self.send("input_audio_buffer.append", audio=base64.b64encode(samples[at:at + step]).decode())

    def close(self):
        self.socket.close()


def bursts(seconds, rate=24000):
    """A tone of a second, two of silence, ...: for loudness, speech."""
    values = random.Random(3)
    return array.array("h", (int((9000 * math.sin(i * 0.13) if i // rate % 3 == 1 else 0) + values.gauss(0, 5))
                             for i in range(int(seconds * rate)))).tobytes()


def kinds_of(events):
    return [event["type"].removeprefix(TRANSCRIPTION).removeprefix("input_audio_buffer.") for event in events]


def items_of(events):
    """The text of each item; its deltas are the whole."""
    texts, deltas = {}, {}
    for event in events:
        if event["type"] == TRANSCRIPTION + "delta":
            deltas[event["item_id"]] = deltas.get(event["item_id"], "") + event["delta"]
        elif event["type"] == TRANSCRIPTION + "completed":
            texts[event["item_id"]] = event["transcript"]
            check(event["transcript"] == deltas.get(event["item_id"], ""), f"deltas of {event}: {deltas}")
    return texts


def test_sessions(server):
    talk = Talk(server, headers={**BETA, "Sec-WebSocket-Protocol": "realtime, openai-insecure-api-key.sk-x"})
    check(talk.status == 101 and b"Sec-WebSocket-Protocol: realtime\r\n" in talk.head, f"{talk.head}")
    created = talk.read()
    check(created["type"] == "transcription_session.created" and created["session"]["input_audio_format"] == "pcm16"
          and created["session"]["turn_detection"]["type"] == "server_vad", f"{created}")
    talk.send("transcription_session.update", session={"input_audio_format": "g711_ulaw", "turn_detection": None,
                                                       "input_audio_transcription": {"model": "whisper-1"}})
    updated = talk.read()
    check(updated["type"] == "transcription_session.updated" and updated["session"]["turn_detection"] is None
          and updated["session"]["input_audio_transcription"]["model"].endswith("nano/model"), f"{updated}")
    # A second of silence in mu-law: an item without words.
    talk.append(b"\xff" * 8000)
    talk.send("input_audio_buffer.commit")
    events = talk.until(TRANSCRIPTION + "completed")
    check(kinds_of(events) == ["committed", "completed"] and events[-1]["transcript"] == "", f"{events}")
    talk.send("input_audio_buffer.commit", event_id="mine")
    error = talk.read()
    check(error["error"]["code"] == "input_audio_buffer_commit_empty" and error["error"]["event_id"] == "mine", f"{error}")
    for event, param, code in (
            ({"type": "response.create"}, "type", "invalid_value"),
            ({"type": "input_audio_buffer.append", "audio": "?"}, "audio", "invalid_value"),
            ({"type": "session.update", "session": {"audio": {"input": {"transcription": {"model": "x"}}}}}, "model",
             "model_not_found"),
            ({"type": "transcription_session.update", "session": {"turn_detection": {"type": "semantic_vad"}}},
             "session.turn_detection.type", "invalid_value")):
        talk.send(**{"kind": event["type"], **{name: value for name, value in event.items() if name != "type"}})
        error = talk.read()
        check((error["type"], error["error"]["param"], error["error"]["code"]) == ("error", param, code), f"{error}")
    talk.send("input_audio_buffer.clear")
    check(talk.read()["type"] == "input_audio_buffer.cleared", "cleared")
    talk.close()
    other = Talk(server)
    check(other.read()["type"] == "session.created", "session.created")
    other.close()


def test_turns(server):
    """Two bursts are two items, each told in its order."""
    talk = Talk(server)
    talk.read()
    talk.append(bursts(7))
    events = [*talk.until(TRANSCRIPTION + "completed"), *talk.until(TRANSCRIPTION + "completed")]
    kinds = [kind for kind in kinds_of(events) if kind != "delta"]
    check(kinds == 2 * ["speech_started", "speech_stopped", "committed", "completed"], f"{kinds}")
    begins = [event["audio_start_ms"] for event in events if "audio_start_ms" in event]
    ends = [event["audio_end_ms"] for event in events if "audio_end_ms" in event]
    check(abs(begins[0] - 700) < 150 and abs(begins[1] - 3700) < 150 and abs(ends[0] - 2500) < 150, f"{begins} {ends}")
    texts = items_of(events)
    check(len(texts) == 2 and all(texts.values()), f"random weights say something of a tone: {texts}")
    committed = [event for event in events if event["type"].endswith(".committed")]
    check(committed[1]["previous_item_id"] == committed[0]["item_id"], f"{committed}")
    talk.close()


def test_haste(server):
    """More than a session keeps is sent at once: the client waits, and nothing is lost."""
    talk = Talk(server)
    talk.read()
    talk.append(bursts(60), step=48000)
    texts = {}
    while len(texts) < 20:
        texts.update(items_of(talk.until(TRANSCRIPTION + "completed")))
    talk.close()


def test_limits(server):
    """Of one session; it is another's once its client has left."""
    one = Talk(server)
    one.read()
    one.append(bursts(3))
    other = Talk(server)
    check(other.status == 503, f"a second session: {other.head}")
    other.close()
    one.close()
    end = time.monotonic() + PATIENCE_S
    while (other := Talk(server)).status != 101:
        check(time.monotonic() < end, "the place of a client that has left is free")
        other.close()
        time.sleep(0.1)
    other.frame(2, b"binary")
    while other.read() is not None:
        pass
    check(other.closed == 1003, f"binary: {other.closed}")
    other.close()


def test_refusals(server):
    for path, headers, status in ((PATH, {"Origin": "http://elsewhere.example"}, 403), ("/v1/models", {}, 404),
                                  (PATH + "&model=x", {}, 404), ("/v1/realtime?intent=conversation", {}, 400),
                                  (PATH, {"Upgrade": "h2c"}, 426)):
        talk = Talk(server, path, headers)
        check(talk.status == status, f"{path} {headers}: expected {status}, found {talk.head}")
        talk.close()
    talk = Talk(server, headers={"Origin": f"http://127.0.0.1:{server.port}"})
    check(talk.status == 101, f"a page of this server: {talk.head}")
    talk.read()
    try:
        talk.frame(1, b'{"type": "' + b"a" * (5 << 20) + b'"}')
        while talk.read() is not None:
            pass
        check(talk.closed == 1009, f"a large message: {talk.closed}")
    except (EOFError, ConnectionError):
        pass  # it closed before it was read
    talk.close()
    # Frames that are none, and half of one.
    for bytes_sent in (b"\xff" * 64, b"\x81\x05hello", b"\x81"):
        talk = Talk(server)
        talk.socket.sendall(bytes_sent)
        talk.close()


def test_speech(server, recording):
    """A recording at 24 kHz, by turns, and as one item that is committed."""
    with wave.open(str(recording)) as file:
        samples = array.array("h", file.readframes(file.getnframes()))
    wide = array.array("h")
    for i in range(len(samples) // 2 - 1):
        a, b, c = samples[2 * i:2 * i + 3]
        wide.extend((a, (a + 2 * b) // 3, (2 * b + c) // 3))
    for turns in ({"type": "server_vad", "silence_duration_ms": 1000}, None):
        talk = Talk(server, headers=BETA)
        talk.read()
        talk.send("transcription_session.update", session={"turn_detection": turns})
        talk.append(wide.tobytes() + bytes(0 if turns is None else 2 * 48000))
        if turns is None:
            talk.send("input_audio_buffer.commit")
        texts = {}
        end = time.monotonic() + patience(120)
        while "for your country" not in " ".join(texts.values()) or turns is None and not texts:
            check(time.monotonic() < end, f"{turns}: {texts}")
            texts.update(items_of(talk.until(TRANSCRIPTION + "completed")))
        check("what you can do for your country" in " ".join(texts.values()), f"{turns}: {texts}")
        talk.close()


def test_keys():
    keys = WORK / "keys"
    keys.write_text(hashlib.sha256(b"sesame").hexdigest() + "\n")
    server = Server(PROGRAM, *OPTIONS, "--api-keys", str(keys), env=ENVIRONMENT)
    for headers, status in (({}, 401), ({"Authorization": "Bearer other"}, 401), ({"Authorization": "Bearer sesame"}, 101)):
        talk = Talk(server, headers=headers)
        check(talk.status == status, f"{headers}: expected {status}, found {talk.head}")
        talk.close()
    server.end()


def test_end(server):
    """SIGTERM closes sessions, and the server ends."""
    talk = Talk(server)
    talk.read()
    talk.append(bursts(3))
    server.process.send_signal(signal.SIGTERM)
    while talk.read() is not None:
        pass
    check(talk.closed == 1001, f"expected 1001, found {talk.closed}")
    server.end(number=None)


def test_nano():
    subprocess.run([WRITE_NANO_MODEL, WORK / "nano"], check=True, stdout=subprocess.DEVNULL)
    server = Server(PROGRAM, *OPTIONS, env=ENVIRONMENT)
    test_sessions(server)
    test_turns(server)
    test_haste(server)
    test_refusals(server)
    test_end(server)
    server = Server(PROGRAM, *OPTIONS, "--realtime-sessions", "1", env=ENVIRONMENT)
    test_limits(server)
    server.end()
    test_keys()


if len(sys.argv) < 4:
    test_nano()
else:
    jfk = CACHE / "samples/jfk.wav"
    if not jfk.exists() or not (CACHE / "tiny.en/model.bin").exists():
        print("SKIP: jfk.wav or tiny.en was not fetched (app/quickstart.sh)")
        sys.exit(77)
    speech = Server(PROGRAM, "--model", str(CACHE / "tiny.en"), "--device", "cpu", "--language", "en")
    test_speech(speech, jfk)
    speech.end()
shutil.rmtree(WORK)
print("realtime: ok")
