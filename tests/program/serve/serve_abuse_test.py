#!/usr/bin/env python3
"""whisper-npu serve and clients that are slow, broken, gone or too many: each limit holds, none takes it down, and
nothing is left. ctest runs it: serve_abuse_test.py PROGRAM WRITE_NANO_MODEL"""
import http.client
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

from serving import BOUNDARY, FORM_TYPE, TRANSCRIPTIONS, Server, form, read_all, status_of, upload_head

from batch_of_recordings import check, quick_options
from patience import PATIENCE_S, patience

PROGRAM, WRITE_NANO_MODEL = sys.argv[1:3]
WORK = Path(tempfile.mkdtemp())
OPTIONS = [*quick_options(WORK / "nano/model"), "--logprob-threshold", "None", "--compression-ratio-threshold", "None"]
SLOW = ["--beam-size", "4", "--max-tokens", "32"]  # a second for 190 of audio


def write_silence(path, seconds):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(bytes(32000 * seconds))


def is_alive(server, tone, what):
    check(server.post([], tone).status == 200, f"{what}: the server answers no more")


def test_http(server, tone):
    for raw, expected in [
            (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20000 + b"\r\n\r\n", 431),
            (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n", 431),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20, 400),
            (b"GET / HTTP/9.9\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nBad Header\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            (b"GET /health HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 400),
            (f"POST {TRANSCRIPTIONS} HTTP/1.1\r\nContent-Type: {FORM_TYPE}\r\nConnection: close\r\n\r\n".encode(), 411),
            (upload_head(10**12), 413),
            (upload_head(10, more="Expect: a miracle\r\n"), 417),
            (upload_head(10, more="Connection: close\r\n") + b"x" * 10, 400),
            (upload_head(40) + b"x" * 10, None),
            (f"POST {TRANSCRIPTIONS} HTTP/1.1\r\nContent-Type: {FORM_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n"
             "zz\r\n".encode(), 400)]:
        answer = server.raw(raw, half_close=expected is None)
        check(status_of(answer) == expected, f"{raw[:60]}: expected {expected}, found {answer[:200]}")
    is_alive(server, tone, "requests that are none")


def test_bodies(server, tone):
    """Forms that are cut, doubled or changed somewhere."""
    body = form([("prompt", "a"), ("response_format", "srt")], tone[:3000])
    seed = random.randrange(2**32)
    print(f"bodies: seed {seed}")
    random.seed(seed)
    for _ in range(40):
        broken = bytearray(body)
        at = random.randrange(len(broken))
        kind = random.randrange(3)
        if kind == 0:
            del broken[at:at + random.randrange(1, 200)]
        elif kind == 1:
            broken[at] = random.randrange(256)
        else:
            broken[at:at] = broken[:random.randrange(400)]
        answer = server.request("POST", TRANSCRIPTIONS, bytes(broken), {"Content-Type": FORM_TYPE})
        check(answer.status in (200, 400, 413), f"{kind} at {at}: {answer.status} {answer.body}")
    is_alive(server, tone, "broken bodies")


def test_ways(server, tone):
    """Ways to send what is right: chunks, in any pieces, after 100 Continue, one request behind another."""
    body = form([], tone)
    expected = server.post([], tone).body
    head = f"POST {TRANSCRIPTIONS} HTTP/1.1\r\nHost: a\r\nContent-Type: {FORM_TYPE}\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 7777]), body[i:i + 7777]) for i in range(0, len(body), 7777))
    answer = server.raw(f"{head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunks + b"0\r\n\r\n")
    check(answer.endswith(expected), f"chunks: {answer[:300]}")
    with server.socket() as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        whole = upload_head(len(body), more="Connection: close\r\n") + body
        for i in range(600):
            client.sendall(whole[i:i + 1])
        client.sendall(whole[600:])
        check(read_all(client).endswith(expected), "byte by byte")
    with server.socket() as client:
        client.sendall(upload_head(len(body), more="Expect: 100-continue\r\nConnection: close\r\n"))
        check(client.recv(100).startswith(b"HTTP/1.1 100 "), "100 Continue")
        client.sendall(body)
        check(read_all(client).endswith(expected), "after 100 Continue")
    get = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    answer = server.raw(get + upload_head(len(body)) + body + get.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    check(answer.count(b"HTTP/1.1 200 OK") == 3 and expected in answer, f"one behind another: {answer[:300]}")
    answer = server.raw(upload_head(len(body) - 1) + body)  # the byte that is left is a request, and a bad one
    check(b"HTTP/1.1 400 " in answer, f"a length that is too short: {answer[:300]}")


def test_leaving(server):
    """A client that leaves ends its request: in the upload, in the queue, at work, in the middle of its events."""
    long = (WORK / "long.wav").read_bytes()
    body = form([], long)
    n = server.metric("cancelled_total")

    def start(client, what):
        client.sendall(what)
        server.wait_for("requests_in_flight", 1)

    for how in ("close", "half", "reset"):
        client = server.socket()
        start(client, upload_head(len(body)) + body)
        begin = time.monotonic()
        if how == "half":
            client.shutdown(socket.SHUT_WR)
        elif how == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if how != "half":
            client.close()
        server.wait_for("requests_in_flight", 0)
        check(time.monotonic() - begin < patience(10), f"{how}: it took {time.monotonic() - begin} s")
        client.close()
    streamed = form([("stream", "true")], long)
    with server.socket() as client:
        client.sendall(upload_head(len(streamed)) + streamed)
        client.recv(4096)
    server.wait_for("requests_in_flight", 0)
    with server.socket() as client:
        client.sendall(upload_head(len(body)) + body[:1000])
    server.wait_for("cancelled_total", n + 5)
    server.wait_for("spool_bytes", 0)


def test_slow(tone):
    server = Server(PROGRAM, *OPTIONS, "--header-timeout", "0.5", "--body-timeout", "0.5", "--idle-timeout", "0.5")

    def drip(client, text):
        try:
            for i in range(len(text)):
                client.sendall(text[i:i + 1])
                time.sleep(0.02)
        except OSError:
            pass
        return read_all(client)

    with server.socket() as client:
        check(read_all(client) == b"", "an idle connection is closed")
    with server.socket() as client:
        begin = time.monotonic()
        answer = drip(client, b"GET / HTTP/1.1\r\nX: " + b"x" * 100)
        check(status_of(answer) == 408 and time.monotonic() - begin < PATIENCE_S / 2, f"a slow head: {answer}")
    with server.socket() as client:
        body = form([], tone)
        client.sendall(upload_head(len(body)))
        check(status_of(drip(client, body[:100])) == 408, "a slow body")
    is_alive(server, tone, "slow clients")
    server.end()


def test_limits(tone):
    write_silence(WORK / "long.wav", 190)
    long = (WORK / "long.wav").read_bytes()
    server = Server(PROGRAM, *OPTIONS, *SLOW, "--max-body", "8M", "--max-audio", "200", "--max-requests", "1",
                    "--max-connections", "6", "--max-spool", "7M", "--max-queue", "1000")
    check(server.post([], b"x" * (9 << 20)).error() == (413, None, "body_too_large"), "a large body")
    head = f"POST {TRANSCRIPTIONS} HTTP/1.1\r\nContent-Type: {FORM_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    file = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n'.encode()
    preamble = b"x" * (9 << 20)
    answer = server.raw(head + b"%x\r\n" % len(preamble) + preamble + b"\r\n")
    check(status_of(answer) == 413, f"a large body in chunks: {answer[:300]}")
    answer = server.raw(head + b"%x\r\n" % (len(file) + 70000) + file + b"x" * 70000 + b"\r\n")
    check(status_of(answer) == 413, f"a large field: {answer[:300]}")
    answer = server.post([], (7 << 20) * b"x" + b"x")
    check(answer.error() == (503, "file", "overloaded") and "retry-after" in answer.headers, f"spool: {answer.body}")
    write_silence(WORK / "longer.wav", 201)
    answer = server.post([], (WORK / "longer.wav").read_bytes())
    check(answer.error() == (413, "file", "audio_too_long"), f"a long recording: {answer.body}")
    body = form([], long)
    with server.socket() as client:
        client.sendall(upload_head(len(body)) + body)
        server.wait_for("requests_in_flight", 1)
        answer = server.post([], tone)
        check(answer.error() == (429, None, "overloaded"), f"a second request: {answer.body}")
        check(0 < int(answer.headers["retry-after"]) <= 600, "Retry-After")
    server.wait_for("requests_in_flight", 0)
    many = [server.socket() for _ in range(6)]
    time.sleep(0.2)
    with server.socket() as client:
        check(status_of(read_all(client)) == 503, "a connection too many")
    for each in many:
        each.close()
    time.sleep(0.2)
    is_alive(server, tone, "limits")
    check(server.metric("refusals_total", '{reason="overloaded"}') >= 2, "refusals are counted")
    server.end()


def test_growth(server, tone):
    """Requests leave nothing behind."""
    def ask(n):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        for i in range(n):
            body = form([("stream", str(i % 2))], tone if i % 4 else b"no audio")
            server.request("POST", TRANSCRIPTIONS, body, {"Content-Type": FORM_TYPE}, connection)

    ask(100)
    before = resident(server)
    ask(200)
    check(resident(server) - before < 2 << 20, f"200 requests leave {resident(server) - before} bytes behind")


def resident(server):
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory(tone):
    """An upload is never in memory, and idle clients cost next to nothing."""
    # AddressSanitizer keeps what was freed: it would be taken for growth.
    nothing_kept = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    server = Server(PROGRAM, *OPTIONS, env={"ASAN_OPTIONS": nothing_kept})

    is_alive(server, tone, "memory")
    test_growth(server, tone)
    before = resident(server)
    size = 200 << 20
    head = form([], b"").split(b"\r\n\r\n")[0] + b"\r\n\r\n"
    with server.socket() as client:
        client.sendall(upload_head(size) + head)
        for _ in range((size - len(head)) >> 20):
            client.sendall(b"x" * (1 << 20))
        server.wait_for("spool_bytes", ((size - len(head)) >> 20) << 20)
        check(resident(server) - before < 20 << 20, f"an upload of {size} bytes takes {resident(server) - before} in memory")
    server.wait_for("spool_bytes", 0)
    idle = [server.socket() for _ in range(300)]
    is_alive(server, tone, "idle clients")
    check(resident(server) - before < 20 << 20, f"300 idle clients take {resident(server) - before} bytes")
    threads = len(os.listdir(f"/proc/{server.process.pid}/task"))
    for each in idle:
        each.close()
    time.sleep(0.3)
    check(len(os.listdir(f"/proc/{server.process.pid}/task")) == threads, "idle clients have threads")
    server.end()


def main():
    subprocess.run([WRITE_NANO_MODEL, str(WORK / "nano")], check=True)
    tone = (WORK / "nano/tone.wav").read_bytes()
    write_silence(WORK / "long.wav", 1200)
    server = Server(PROGRAM, *OPTIONS)
    test_http(server, tone)
    test_bodies(server, tone)
    test_ways(server, tone)
    test_leaving(server)
    server.end()
    test_slow(tone)
    test_limits(tone)
    test_memory(tone)
    print("serve: no client takes it down")


try:
    main()
finally:
    shutil.rmtree(WORK)
