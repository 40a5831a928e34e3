#!/usr/bin/env python3
"""whisper-npu serve as its clients see it: every response format, events, errors, options, keys, several models,
the log, and how it ends. ctest runs it: serve_test.py PROGRAM WRITE_NANO_MODEL SOURCE"""
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from serving import TRANSCRIPTIONS, Server, form, read_all, status_of, upload_head

from batch_of_recordings import check, quick_options, write_wav
from lying_server import LyingServer
from patience import PATIENCE_S

PROGRAM, WRITE_NANO_MODEL, SOURCE = sys.argv[1:4]
WORK = Path(tempfile.mkdtemp())
OPTIONS = [*quick_options(WORK / "nano/model"), "--logprob-threshold", "None", "--compression-ratio-threshold", "None"]
FORMATS = {"text": "text/plain; charset=utf-8", "srt": "application/x-subrip; charset=utf-8",
           "vtt": "text/vtt; charset=utf-8", "json": "application/json", "verbose_json": "application/json"}
try:
    import jsonschema
except ImportError:
    jsonschema = None
    print("SKIP: no jsonschema (python3-jsonschema): answers are not held to the description")


def by_command_line(file, *options):
    done = subprocess.run([PROGRAM, "transcribe", *OPTIONS, *options, str(file)], capture_output=True, text=True,
                          check=True, timeout=PATIENCE_S)
    return done.stdout


class Description:
    """openapi.json, and answers that are held to it."""

    def __init__(self, server):
        self.document = server.get("/openapi.json").json()

    def hold(self, name, value):
        if jsonschema is None:
            return
        schema = {"$ref": f"#/components/schemas/{name}", "components": self.document["components"]}
        jsonschema.Draft202012Validator(schema).validate(value)

    def hold_path(self, path, method, answer):
        responses = self.document["paths"][path][method]["responses"]
        check(str(answer.status) in responses, f"{method} {path}: {answer.status} is not described")
        content = responses[str(answer.status)]["content"]
        kind = answer.headers["content-type"]
        check(kind in content, f"{method} {path}: {kind} is not described")
        if kind == "application/json" and jsonschema is not None:
            schema = {**content[kind]["schema"], "components": self.document["components"]}
            jsonschema.Draft202012Validator(schema).validate(answer.json())


def test_formats(server, description, tone):
    for name, kind in FORMATS.items():
        answer = server.post([("model", "whisper-1"), ("response_format", name)], tone)
        check((answer.status, answer.headers["content-type"]) == (200, kind), f"{name}: {answer.status} {answer.body}")
        description.hold_path(TRANSCRIPTIONS, "post", answer)
        if name in ("srt", "vtt"):
            check(answer.body.decode() == by_command_line(WORK / "tone.wav", "--format", name), f"{name}: {answer.body}")
    verbose = server.post([("response_format", "verbose_json"), ("timestamp_granularities[]", "word"),
                           ("timestamp_granularities[]", "segment")], tone).json()
    description.hold("VerboseTranscription", verbose)
    expected = json.loads(by_command_line(WORK / "tone.wav", "--format", "json", "--word-timestamps", "True"))
    check(verbose["text"] == expected["text"].strip() and verbose["language"] == "english", f"text: {verbose}")
    check([s["text"] for s in verbose["segments"]] == [s["text"] for s in expected["segments"]], "segments")
    check([(w["word"], w["start"], w["end"]) for w in verbose["words"]] ==
          [(w["word"].strip(), w["start"], w["end"]) for w in expected["words"]], f"words: {verbose['words']}")
    only_words = server.post([("response_format", "verbose_json"), ("timestamp_granularities[]", "word")], tone).json()
    check("segments" not in only_words and only_words["words"] == verbose["words"], f"words alone: {only_words}")
    widths = server.post([("response_format", "srt"), ("max_words_per_line", "1")], tone).body.decode()
    check(widths == by_command_line(WORK / "tone.wav", "--format", "srt", "--max-words-per-line", "1"), "layout")
    translated = server.post([], tone, path="/v1/audio/translations")
    check(translated.status == 200, f"translations: {translated.body}")


def test_events(server, description, tone):
    answer = server.post([("stream", "true"), ("timestamp_granularities[]", "word")], tone)
    check(answer.headers["content-type"].startswith("text/event-stream"), f"stream: {answer.headers} {answer.body}")
    events = [json.loads(line.removeprefix("data: ")) for line in answer.body.decode().split("\n\n") if line]
    for event in events[:-1]:
        description.hold("DeltaEvent", event)
        check("words" in event["segment"], f"words: {event}")
    description.hold("DoneEvent", events[-1])
    text = server.post([("word_timestamps", "true")], tone).json()["text"]
    check("".join(e["delta"] for e in events[:-1]) == events[-1]["text"] and events[-1]["text"].strip() == text,
          f"deltas: {events}")
    # HTTP/1.0 knows no chunks.
    body = form([("stream", "1")], tone)
    raw = server.raw(upload_head(len(body)).replace(b"HTTP/1.1", b"HTTP/1.0") + body)
    check(b"chunked" not in raw and raw.endswith(b"\n\n") and b"transcript.text.done" in raw, f"HTTP/1.0: {raw}")


def test_errors(server, description, tone):
    noise = b"no audio" * 100
    for fields, file, expected in [
            ([], None, (400, "file", "missing_field")),
            ([], noise, (400, "file", "invalid_audio")),
            ([], b"", (400, "file", "invalid_audio")),
            ([("model", "nobody's")], tone, (404, "model", "model_not_found")),
            ([("response_format", "docx")], tone, (400, "response_format", "invalid_value")),
            ([("response_format", "srt"), ("stream", "true")], tone, (400, "stream", "invalid_value")),
            ([("stream", "perhaps")], tone, (400, "stream", "invalid_value")),
            ([("language", "klingon")], tone, (400, "language", "invalid_option")),
            ([("temperature", "2")], tone, (400, "temperature", "invalid_option")),
            ([("temperature", "nan")], tone, (400, "temperature", "invalid_option")),
            ([("beam_size", "0")], tone, (400, "beam_size", "invalid_option")),
            ([("beam_size", "--help")], tone, (400, "beam_size", "invalid_option")),
            ([("bem_size", "2")], tone, (400, "bem_size", "unknown_field")),
            ([("include[]", "logprobs")], tone, (400, "include[]", "unknown_field")),
            ([("known_speaker_names[]", "x")], tone, (400, "known_speaker_names[]", "unknown_field")),
            ([("vad_model", "/etc/passwd")], tone, (400, "vad_model", "unknown_field")),
            ([("operator", "/tmp/evil.so")], tone, (400, "operator", "unknown_field")),
            ([("model_dir", "/")], tone, (400, "model_dir", "unknown_field")),
            ([("task", "translate")], tone, (400, "task", "unknown_field")),
            ([("batch_size", "4")], tone, (400, "batch_size", "unknown_field")),
            ([("timestamp_granularities[]", "word")], tone, (400, "timestamp_granularities[]", "invalid_value")),
            ([("timestamp_granularities[]", "letter"), ("response_format", "verbose_json")], tone,
             (400, "timestamp_granularities[]", "invalid_value")),
            ([("chunking_strategy", '{"type": "server_vad"}')], tone, (400, "chunking_strategy", "unsupported_value")),
            ([("url", "http://127.0.0.1/a.wav")], None, (400, "url", "unsupported_value")),
            ([("prompt", "x" * 70000)], tone, (413, "prompt", "field_too_large"))]:
        answer = server.post(fields, file)
        check(answer.error() == expected, f"{fields}: expected {expected}, found {answer.status} {answer.body}")
        description.hold_path(TRANSCRIPTIONS, "post", answer)
    check(server.get("/nowhere").error() == (404, None, "not_found"), "404")
    check(server.get("/v1/models/nobody").error() == (404, "model", "model_not_found"), "404 of a model")
    for method, path, allowed in [("GET", TRANSCRIPTIONS, "POST"), ("POST", "/v1/models", "GET, HEAD"),
                                  ("DELETE", "/", "GET, HEAD"), ("PATCH", "/health", "GET, HEAD")]:
        answer = server.request(method, path)
        check((answer.status, answer.headers["allow"]) == (405, allowed), f"{method} {path}: {answer.body}")
    twice = form([], tone).replace(b"--\r\n", b"\r\n", 1)
    check(server.request("POST", TRANSCRIPTIONS, twice + form([], tone), {"Content-Type": "text/plain"}).status == 415,
          "another Content-Type")


def test_small(server, description):
    for path in ("/health", "/livez", "/readyz", "/v1/models", "/metrics", "/openapi.json", "/"):
        answer = server.get(path)
        description.hold_path(path, "get", answer)
        check(answer.headers["x-request-id"].startswith("req_"), f"{path}: {answer.headers}")
        check("access-control-allow-origin" not in answer.headers, "CORS is off")
        head = server.request("HEAD", path)
        check((head.status, head.body) == (200, b"") and int(head.headers["content-length"]) > 0, f"HEAD {path}")
    name = server.get("/v1/models").json()["data"][0]["id"]
    description.hold("Model", server.get("/v1/models/" + name.replace("/", "%2F")).json())
    policy = server.get("/").headers["content-security-policy"]
    check("default-src 'none'" in policy and "connect-src 'self'" in policy, policy)


def test_options(server, tone):
    """Each option that the description has is taken, under its own name."""
    usual = {"integer": "1", "number": "1", "boolean": "false", "string": ""}
    properties = server.get("/openapi.json").json()["components"]["schemas"]["TranscriptionRequest"]["properties"]
    for name, schema in properties.items():
        if "type" not in schema or name in ("file", "url", "model", "timestamp_granularities[]"):
            continue
        answer = server.post([(name, usual[schema["type"]])], tone)
        known = answer.status == 200 or answer.error()[2] == "invalid_option"  # without effect, here
        check(known, f"{name}: {answer.body}")
    changed = server.post([("suppress_tokens", "1,2,3"), ("beam_size", "2"), ("sample_len", "4")], tone)
    expected = by_command_line(WORK / "tone.wav", "--suppress-tokens", "1,2,3", "--beam-size", "2",
                               "--max-tokens", "4", "--format", "json")
    check(changed.status == 200 and changed.json()["text"] == json.loads(expected)["text"].strip(), f"{changed.body}")


def test_log(log):
    schema = json.loads(Path(SOURCE, "app/formats/log.schema.json").read_text())
    lines = [json.loads(line) for line in log.splitlines()]
    for line in lines if jsonschema else ():
        jsonschema.Draft202012Validator(schema).validate(line)
    check(any(line["type"] == "request" and line["status"] == 200 for line in lines), "a request in the log")
    for secret in ("secret name", "a prompt of mine"):
        check(secret not in log, f"{secret} is in the log")


def test_keys(tone):
    keys = WORK / "keys"
    sha256 = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("free", "few", "short")}
    keys.write_text(f"# keys\n{sha256['free']}\n{sha256['few'].upper()} requests-per-minute=2\n"
                    f"{sha256['short']} audio-seconds-per-day=3\n")
    server = Server(PROGRAM, *OPTIONS, "--api-keys", str(keys), "--cors", "https://example.org")
    bearer = lambda key: {"Authorization": f"Bearer {key}"}
    for headers in ({}, bearer("wrong"), {"Authorization": "Basic free"}, bearer(sha256["free"])):
        answer = server.post([], tone, headers=headers)
        check(answer.error() == (401, None, "invalid_api_key") and "www-authenticate" in answer.headers, f"{headers}")
    for path in ("/health", "/", "/openapi.json"):
        check(server.get(path).status == 200, f"{path} needs no key")
    check(server.get("/v1/models").status == 401 and server.get("/metrics").status == 401, "models need a key")
    check(server.post([], tone, headers=bearer("free")).status == 200, "a key")
    statuses = [server.get("/v1/models", **bearer("few")).status for _ in range(6)]
    check(statuses[:2] == [200, 200] and 429 in statuses, f"requests a minute: {statuses}")
    found = [server.post([], tone, headers=bearer("short")) for _ in range(2)]
    check([each.status for each in found] == [200, 429], f"seconds a day: {[each.body for each in found]}")
    check(int(found[1].headers["retry-after"]) > 0, "Retry-After")
    mine = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    asked = server.request("OPTIONS", TRANSCRIPTIONS, headers=mine)
    check(asked.status == 204 and asked.headers["access-control-allow-origin"] == mine["Origin"], f"{asked.headers}")
    other = server.get("/health", Origin="https://example.com")
    check("access-control-allow-origin" not in other.headers, "another origin")
    server.end()
    keys.write_text("abc\n")
    done = subprocess.run([PROGRAM, "serve", *OPTIONS, "--api-keys", str(keys)], capture_output=True, text=True)
    check(done.returncode == 2 and "keys:1: expected a key's SHA-256" in done.stderr, f"{done}")


def test_models(tone):
    shutil.copytree(WORK / "nano/model", WORK / "models/one")
    shutil.copytree(WORK / "nano/model", WORK / "models/two")
    served = LyingServer({"talk.wav": tone, "page.wav": b"<html>"})
    server = Server(PROGRAM, *OPTIONS, "--models", "one,two", "--model-dir", str(WORK / "models"), "--keep-alive", "0.2",
                    "--allow-urls", "--max-download", "200K")
    check([model["id"] for model in server.get("/v1/models").json()["data"]] == ["one", "two"], "models")
    server.wait_for("models_loaded", 0)
    for model in ("two", "whisper-1", "one"):
        check(server.post([("model", model)], tone).status == 200, model)
    server.wait_for("models_loaded", 0)
    talk = server.post([("url", served.url + "/talk.wav"), ("response_format", "srt")])
    check(talk.status == 200 and talk.body == server.post([("response_format", "srt")], tone).body, f"url: {talk.body}")
    for url, expected in (("/page.wav", 400), ("/gone.wav", 400)):
        found = server.post([("url", served.url + url)])
        check(found.status == expected, f"{url}: {found.status} {found.body}")
    check(server.post([("url", "file:///etc/passwd")]).error()[0] == 400, "file URLs")
    check(server.post([("url", served.url)], tone).error() == (400, "url", "invalid_value"), "url and file")
    server.end()
    done = subprocess.run([PROGRAM, "serve", *OPTIONS, "--models", "one,three", "--model-dir", str(WORK / "models")],
                          capture_output=True, text=True)
    check(done.returncode == 3 and "three" in done.stderr, f"a model that is not there: {done}")


def test_end(tone):
    long = (WORK / "long.wav").read_bytes()
    server = Server(PROGRAM, *OPTIONS)
    idle = server.socket()
    body = form([], long)
    with server.socket() as client:
        client.sendall(upload_head(len(body), more="Expect: 100-continue\r\n"))
        check(status_of(client.recv(100)) == 100, "the upload has begun")
        client.sendall(body[:-1])
        server.send()
        check(read_all(idle) == b"", "idle connections are closed")
        client.sendall(body[-1:])  # the answer cannot have come before the signal
        answer = read_all(client)
    check(status_of(answer) == 200 and b"Connection: close" in answer, f"SIGTERM drains: {answer[:300]}")
    server.end(None)
    server = Server(PROGRAM, *OPTIONS)
    with server.socket() as client:
        client.sendall(upload_head(len(body) + 1) + body)  # the last byte does not come
        time.sleep(0.3)
        server.send(signal.SIGTERM)
        time.sleep(0.3)
        server.end(signal.SIGTERM, code=143)
    busy = Server(PROGRAM, *OPTIONS)
    done = subprocess.run([PROGRAM, "serve", *OPTIONS, "--port", str(busy.port)], capture_output=True, text=True)
    check(done.returncode == 2 and "--port: expected to listen" in done.stderr, f"a port that is taken: {done}")
    busy.end(signal.SIGINT)


def main():
    subprocess.run([WRITE_NANO_MODEL, str(WORK / "nano")], check=True)
    shutil.copy(WORK / "nano/tone.wav", WORK / "tone.wav")
    write_wav(WORK / "long.wav", 120, 0.04)
    tone = (WORK / "tone.wav").read_bytes()
    spool = WORK / "spool"
    spool.mkdir()
    server = Server(PROGRAM, *OPTIONS, "--log-format", "json", "--spool-dir", str(spool))
    description = Description(server)
    test_small(server, description)
    test_formats(server, description, tone)
    test_events(server, description, tone)
    test_errors(server, description, tone)
    test_options(server, tone)
    together = []
    threads = [threading.Thread(target=lambda: together.append(server.post([("prompt", "a prompt of mine")], tone).body))
               for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    check(len(set(together)) == 1 and len(together) == 8, f"eight at once: {together}")
    check(list(spool.iterdir()) == [] and server.metric("spool_bytes") == 0, "the spool is not empty")
    test_log(server.end())
    test_keys(tone)
    test_models(tone)
    test_end(tone)
    print("serve: all as documented")


try:
    main()
finally:
    shutil.rmtree(WORK)
