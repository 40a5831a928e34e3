"""The server of the Wyoming protocol, asked by the library's own client."""
import asyncio
import os
import signal
import socket
import subprocess
import sys
import wave
from contextlib import asynccontextmanager

import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript, TranscriptChunk
from wyoming.audio import AudioChunk, AudioStart, AudioStop, wav_to_chunks
from wyoming.client import AsyncClient
from wyoming.error import Error as ErrorEvent
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.ping import Ping

from conftest import QUICK
from whisper_npu.wyoming import Settings, serve

OPTIONS = {name: value for name, value in QUICK.items() if name != "language"}


@asynccontextmanager
async def client_of(uri):
    for left in range(100, -1, -1):
        client = AsyncClient.from_uri(uri, read_timeout=60)
        try:
            await client.connect()
            break
        except OSError:
            if not left:
                raise
            await asyncio.sleep(0.05)
    try:
        yield client
    finally:
        await client.disconnect()


def asked(settings, folder, talk):
    """What `talk(uri)` returns, beside a server."""

    async def both():
        uri = f"unix://{folder}/socket"
        server = asyncio.create_task(serve(settings, uri))
        try:
            return await asyncio.wait_for(talk(uri), 120)
        finally:
            server.cancel()
            await asyncio.gather(server, return_exceptions=True)

    return asyncio.run(both())


async def transcribed(client, events, **wanted):
    """The events that answer, up to the last."""
    await client.write_event(Transcribe(**wanted).event())
    for event in events:
        await client.write_event(event.event())
    found = []
    while not found or found[-1].type not in ("transcript-stop", "error"):
        event = await client.read_event()
        assert event is not None, found
        found.append(event)
    return found


def chunks(samples, rate=16000):
    audio = samples.astype("<i2").tobytes()
    yield AudioStart(rate, 2, 1)
    for begin in range(0, len(audio), 4096):
        yield AudioChunk(rate, 2, 1, audio[begin:begin + 4096])
    yield AudioStop()


@pytest.fixture
def settings(nano_model):
    return Settings(nano_model, "nano", language="en", options=OPTIONS)


def test_info_and_ping(settings, tmp_path):
    async def talk(uri):
        async with client_of(uri) as client:
            await client.write_event(Describe().event())
            info = Info.from_event(await client.read_event())
            await client.write_event(Ping("here").event())
            return info, (await client.read_event()).data

    info, pong = asked(settings, tmp_path, talk)
    [program] = info.asr
    assert (program.name, program.installed, program.supports_transcript_streaming) == ("whisper-npu", True, True)
    assert program.models[0].name == "nano" and "en" in program.models[0].languages
    assert pong == {"text": "here"}


def test_clients_hear_what_the_model_says(settings, tmp_path):
    samples = [np.random.default_rng(seed).normal(0, 9000, seconds * 16000).clip(-32768, 32767).astype(np.int16)
               for seed, seconds in ((1, 3), (2, 31))]

    async def one(uri, each):
        async with client_of(uri) as client:
            return [await transcribed(client, chunks(each), language="en") for _ in range(2)]

    async def talk(uri):
        return await asyncio.gather(*(one(uri, each) for each in samples))

    for each, answers in zip(samples, asked(settings, tmp_path, talk)):
        segments, _ = settings.model.transcribe(each, **QUICK)
        expected = "".join(segment.text for segment in segments).lstrip()
        for answer in answers:  # a client may ask again
            assert answer[0].type == "transcript-start" and answer[-1].type == "transcript-stop"
            assert Transcript.from_event(answer[-2]).text == expected
            assert "".join(TranscriptChunk.from_event(event).text for event in answer[1:-2]) == expected
            assert answer[-2].data["language"] == "en"


def test_nothing_and_half_a_sample(settings, tmp_path):
    async def talk(uri):
        async with client_of(uri) as client:
            empty = await transcribed(client, [AudioStart(16000, 2, 1), AudioStop()])
            return empty, await transcribed(client, [AudioChunk(16000, 2, 1, b"abc"), AudioStop()])

    for answer in asked(settings, tmp_path, talk):
        assert answer[-1].type == "transcript-stop", answer


@pytest.mark.parametrize("events, message", [
    ([Transcribe(name="large")], "transcribe.name: expected nano, found 'large'"),
    ([Transcribe(language="xx")], "transcribe.language: expected a code that nano knows, found 'xx'"),
    ([AudioChunk(0, 2, 1, b"ab")], "audio-chunk.rate: expected 1 to 192000, found 0"),
    ([AudioChunk(16000, "2", 1, b"ab")], "audio-chunk.width: expected 1 to 4, found '2'"),
    ([AudioChunk(16000, 2, 1, b"ab"), AudioChunk(8000, 2, 1, b"ab")],
     "audio-chunk.rate: expected 16000 as before, found 8000"),
    ([AudioChunk(1000, 1, 1, b"a" * 1001)], "audio: expected at most 1 s, found more"),
])
def test_faults_are_told(settings, tmp_path, events, message):
    settings.max_seconds = 1

    async def talk(uri):
        async with client_of(uri) as client:
            for event in events:
                await client.write_event(event.event())
            return await client.read_event(), await client.read_event()

    error, end = asked(settings, tmp_path, talk)
    assert ErrorEvent.from_event(error) == ErrorEvent(message, "UsageError") and end is None


def test_what_is_no_event_ends_one_client(settings, tmp_path):
    async def talk(uri):
        for bytes_sent in (b"GET / HTTP/1.1\r\n\r\n", b"[]\n", b"{}\n", b'{"type": "audio-chunk"}\n',
                           b'{"type": "transcribe", "data_length": 9}\n{}', b"a" * 200000):
            async with client_of(uri) as client:
                client._writer.write(bytes_sent)
                client._writer.write_eof()
                await client._reader.read()
        async with client_of(uri) as client:
            await client.write_event(Event("of another time"))
            await client.write_event(Ping().event())
            return await client.read_event()

    assert asked(settings, tmp_path, talk).type == "pong"


def test_the_program(nano, tmp_path):
    """SIGTERM ends it; what is no address and no model is told."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        uri = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "whisper_npu.wyoming", "--cpu-threads", "1", "--model"]
    environment = {**os.environ, "HOME": str(tmp_path)}

    async def talk():
        async with client_of(uri) as client:
            await client.write_event(Describe().event())
            return Info.from_event(await client.read_event())

    server = subprocess.Popen([*command, str(nano / "model"), "--uri", uri], env=environment)
    try:
        assert asyncio.run(talk()).asr[0].models[0].name == "model"
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0
    finally:
        server.kill()
        server.wait()
    for words, code, message in (([str(nano / "model"), "--uri", "http://x"], 2, "--uri: expected an address"),
                                 ([str(tmp_path / "none")], 3, "none")):
        found = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=False)
        assert found.returncode == code and message in found.stderr, found


def test_speech(tiny, jfk, tmp_path):
    async def talk(uri):
        with wave.open(jfk) as file:
            async with client_of(uri) as client:
                return await transcribed(client, wav_to_chunks(file, 1024, start_event=True, stop_event=True),
                                         transcript_names=["Kitchen"])

    answer = asked(Settings(tiny, "tiny.en", options={"beam_size": 1}), tmp_path, talk)
    assert "ask what you can do for your country" in Transcript.from_event(answer[-2]).text
