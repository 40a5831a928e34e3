#!/usr/bin/env python3
"""A stand-in for `whisper-npu worker`, without any model: what a row's file is called says what becomes of it.

bad*: it fails; crash*: the process dies of it; once-*: it dies of it the first time (a mark beside the file
tells); hang*: no answer; exit5*: the process ends by itself. Its text tells file, offset and duration. A row takes
its duration times $WHISPER_NPU_FAKE_SPEED seconds. The model "missing" is none.
"""
import hashlib
import json
import os
import signal
import sys
import time
import wave

SPEED = float(os.environ.get("WHISPER_NPU_FAKE_SPEED", "0"))


def option(name, default=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def digest(*words):
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def die():
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


def seconds_of(path):
    try:
        with wave.open(path) as file:
            return file.getnframes() / file.getframerate()
    except (EOFError, OSError, wave.Error):
        return 1.0


def answer(row, model, options):
    path = row["audio_filepath"]
    name, begin = os.path.basename(path), row.get("offset", 0)
    seconds = row.get("duration") or seconds_of(path)
    if name.startswith("crash"):
        die()
    if name.startswith("once-") and not os.path.exists(path + ".died"):
        open(path + ".died", "w").close()
        die()
    if name.startswith("hang"):
        time.sleep(3600)
    if name.startswith("exit5"):
        os._exit(5)
    time.sleep(seconds * SPEED)
    if name.startswith("bad") or not os.path.exists(path):
        error = {"code": "audio", "exit_code": 4, "message": f"{path}: expected audio, found something else"}
        return {**row, "status": "failed", "error": error, "attempts": 1, **digests(model, options)}
    texts = [f" {name} at {begin + 10 * i:g}" for i in range(int(seconds // 10) + 1)]
    segments = [{"id": i, "start": 10.0 * i, "end": min(10.0 * (i + 1), seconds), "text": text, "avg_logprob": -0.25,
                 "no_speech_prob": 0.0, "compression_ratio": 1.0, "temperature": 0.0} for i, text in enumerate(texts)]
    language = row.get("lang") or option("--language", "en")
    return {**row, "status": "ok", "pred_text": "".join(texts).strip(), "language": language, "segments": segments,
            "audio_duration": seconds, "attempts": 1, "seconds": 0.0, **digests(model, options)}


def digests(model, options):
    return {"model_sha256": digest("model", model), "options_sha256": digest(*options)}


def main():
    assert sys.argv[1] == "worker", sys.argv
    model, options = option("--model"), [word for word in sys.argv[2:] if word.startswith("--beam") or word.isdigit()]
    if model == "missing":
        print("whisper-npu: missing: expected a model, found none", file=sys.stderr)
        return 3
    if model == "dies":
        die()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), model, options)), flush=True)
    return 0


sys.exit(main())
