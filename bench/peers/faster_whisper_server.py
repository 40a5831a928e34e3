#!/usr/bin/env python3
"""faster-whisper behind POST /v1/audio/transcriptions, as speaches runs it: one model, each request in a
thread of the framework's pool, and as many at once in the model as it has workers (one). Needs fastapi,
uvicorn and python-multipart (peers.sh --server).

    faster_whisper_server.py CT2_FOLDER [--port 8001] [--beam 5] [--precision int8] [--threads 2] [--workers 1]
"""
import argparse

import uvicorn
from fastapi import FastAPI, Form, UploadFile
from faster_whisper import WhisperModel

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model")
parser.add_argument("--port", type=int, default=8001)
parser.add_argument("--beam", type=int, default=5)
parser.add_argument("--precision", default="int8", help="CTranslate2's compute type")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--workers", type=int, default=1)
options = parser.parse_args()

model = WhisperModel(options.model, device="cpu", compute_type=options.precision, cpu_threads=options.threads,
                     num_workers=options.workers)
app = FastAPI()


@app.post("/v1/audio/transcriptions")
def transcribe(file: UploadFile, language: str | None = Form(None)):
    segments, _ = model.transcribe(file.file, language=language, beam_size=options.beam)
    return {"text": "".join(segment.text for segment in segments).strip()}


if __name__ == "__main__":
    uvicorn.run(app, port=options.port, log_level="warning")
