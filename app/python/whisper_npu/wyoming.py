"""A server of the Wyoming protocol, by which Home Assistant asks for text: python -m whisper_npu.wyoming --model base

Needs the package wyoming (`pip install whisper-npu[wyoming]`). All clients share a model, which hears one at a time, in
the order of their requests.
"""

import argparse
import asyncio
import io
import logging
import os
import sys
import wave
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional

try:
    from wyoming.asr import Transcribe, Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.error import Error as ErrorEvent
    from wyoming.event import Event
    from wyoming.info import AsrModel, AsrProgram, Attribution, Describe, Info
    from wyoming.ping import Ping, Pong
    from wyoming.server import AsyncEventHandler, AsyncServer
except ImportError as error:
    raise ImportError(f"whisper_npu.wyoming: expected the package wyoming, found {error} "
                      "(pip install whisper-npu[wyoming])") from error

from whisper_npu import WhisperModel, __version__
from whisper_npu.errors import Error, UsageError

logger = logging.getLogger("whisper_npu.wyoming")


@dataclass
class Settings:
    """What all requests share. `name` is the model's as clients see it."""

    model: WhisperModel
    name: str
    language: Optional[str] = None
    max_seconds: float = 600
    options: Dict[str, Any] = field(default_factory=dict)  # more of `WhisperModel.transcribe`

    def info(self) -> Info:
        by = Attribution("whisper-npu", "")
        model = AsrModel(self.name, Attribution("OpenAI", "https://github.com/openai/whisper"), True,
                         f"Whisper {self.name}", None, sorted(self.model.supported_languages))
        return Info(asr=[AsrProgram("whisper-npu", by, True, "Whisper on CPUs and NPUs", __version__, [model],
                                    supports_transcript_streaming=True)])


class Recording:
    """The samples between audio-start and audio-stop, in whatever format their chunks say."""

    def __init__(self, max_seconds: float):
        self._max_seconds = max_seconds
        self._first: Optional[AudioChunk] = None
        self._audio = bytearray()

    def add(self, chunk: AudioChunk) -> None:
        first = self._first = self._first or self._checked(chunk)
        for what in ("rate", "width", "channels"):
            if getattr(chunk, what) != getattr(first, what):
                raise UsageError(f"audio-chunk.{what}: expected {getattr(first, what)} as before, "
                                 f"found {getattr(chunk, what)!r}")
        self._audio += chunk.audio
        if len(self._audio) > self._max_seconds * first.rate * first.width * first.channels:
            raise UsageError(f"audio: expected at most {self._max_seconds:g} s, found more")

    @staticmethod
    def _checked(chunk: AudioChunk) -> AudioChunk:
        for what, most in (("rate", 192000), ("width", 4), ("channels", 8)):
            found = getattr(chunk, what)
            if type(found) is not int or not 1 <= found <= most:
                raise UsageError(f"audio-chunk.{what}: expected 1 to {most}, found {found!r}")
        return chunk

    def as_wav(self) -> io.BytesIO:
        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setframerate(self._first.rate if self._first else 16000)
            writer.setsampwidth(self._first.width if self._first else 2)
            writer.setnchannels(self._first.channels if self._first else 1)
            writer.writeframes(self._audio)
        file.seek(0)
        return file


class Handler(AsyncEventHandler):
    """One client. Its request ends with an error event, or with transcript-start, -chunk, transcript and -stop."""

    def __init__(self, settings: Settings, turn: asyncio.Lock, *streams: Any):
        super().__init__(*streams)
        self._settings = settings
        self._turn = turn
        self._wanted = Transcribe()
        self._recording = Recording(settings.max_seconds)

    async def run(self) -> None:
        try:
            await super().run()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left
        except Exception as error:  # of the library, about what is no event
            logger.warning("a client was dismissed: %s: %s", type(error).__name__, error)

    async def handle_event(self, event: Event) -> bool:
        try:
            return await self._handled(event)
        except Error as error:
            await self.write_event(ErrorEvent(str(error), code=type(error).__name__).event())
        except (KeyError, TypeError, ValueError) as error:
            text = f"{event.type}: expected an event of Wyoming, found {type(error).__name__}: {error}"
            await self.write_event(ErrorEvent(text, code="UsageError").event())
        return False

    async def _handled(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            await self.write_event(self._settings.info().event())
        elif Ping.is_type(event.type):
            await self.write_event(Pong(text=Ping.from_event(event).text).event())
        elif Transcribe.is_type(event.type):
            self._wanted = self._checked(Transcribe.from_event(event))
        elif AudioStart.is_type(event.type):
            self._recording = Recording(self._settings.max_seconds)
        elif AudioChunk.is_type(event.type):
            self._recording.add(AudioChunk.from_event(event))
        elif AudioStop.is_type(event.type):
            wanted, recording = self._wanted, self._recording
            self._wanted, self._recording = Transcribe(), Recording(self._settings.max_seconds)
            await self._answer(wanted, recording)
        return True

    def _checked(self, wanted: Transcribe) -> Transcribe:
        settings = self._settings
        known = settings.model.supported_languages
        if wanted.name not in (None, "", settings.name):
            raise UsageError(f"transcribe.name: expected {settings.name}, found {wanted.name!r}")
        if wanted.language and wanted.language not in known:
            raise UsageError(f"transcribe.language: expected a code that {settings.name} knows, "
                             f"found {wanted.language!r}")
        return wanted

    async def _answer(self, wanted: Transcribe, recording: Recording) -> None:
        async with self._turn:
            segments, info = await asyncio.to_thread(self._begun, wanted, recording)
            # Fails where the client left while it waited.
            await self.write_event(TranscriptStart(language=info.language).event())
            texts: List[str] = []
            while (segment := await asyncio.to_thread(next, segments, None)) is not None:
                texts.append(segment.text if texts else segment.text.lstrip())
                await self.write_event(TranscriptChunk(text=texts[-1]).event())
        await self.write_event(Transcript(text="".join(texts), language=info.language).event())
        await self.write_event(TranscriptStop().event())

    def _begun(self, wanted: Transcribe, recording: Recording) -> "tuple[Iterator[Any], Any]":
        settings = self._settings
        likely = [*(wanted.transcript_names or []), *(wanted.transcript_terms or [])]
        segments, info = settings.model.transcribe(
            recording.as_wav(), language=wanted.language or settings.language,
            hotwords=", ".join(likely) or None, **settings.options)
        return iter(segments), info


async def serve(settings: Settings, uri: str) -> None:
    """Until it is cancelled, or SIGTERM comes."""
    server = AsyncServer.from_uri(uri)
    turn = asyncio.Lock()
    await server.run(lambda reader, writer: Handler(settings, turn, reader, writer))


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m whisper_npu.wyoming", description="Serves speech to text by the Wyoming protocol.",
        epilog="Whoever reaches the address may ask: keep it on this machine, or in a network that is trusted.")
    parser.add_argument("--uri", default="tcp://127.0.0.1:10300", help="tcp:// or unix:// (default: %(default)s)")
    parser.add_argument("--model", default="base", help="a name or path (default: %(default)s)")
    parser.add_argument("--download-root", help="where models are kept; default: the program's folder")
    parser.add_argument("--language", help="a code, where the client says none; default: detected")
    parser.add_argument("--device", default="auto", help="as of WhisperModel (default: %(default)s)")
    parser.add_argument("--compute-type", default="default", help="as of WhisperModel")
    parser.add_argument("--cpu-threads", type=int, default=0, help="default: as many as there are CPUs")
    parser.add_argument("--beam-size", type=int, default=5, help="1 is quickest (default: %(default)s)")
    parser.add_argument("--vad-filter", action="store_true", help="only what the speech detector finds is heard")
    parser.add_argument("--max-seconds", type=float, default=600, help="of a request's audio (default: %(default)s)")
    return parser


def main(words: Optional[List[str]] = None) -> int:
    asked = arguments().parse_args(words)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        model = WhisperModel(asked.model, device=asked.device, compute_type=asked.compute_type,
                             cpu_threads=asked.cpu_threads, download_root=asked.download_root)
        if asked.language and asked.language not in model.supported_languages:
            raise UsageError(f"--language: expected a code that {asked.model} knows, found {asked.language!r}")
        name = os.path.basename(os.path.normpath(asked.model))
        settings = Settings(model, name, asked.language, asked.max_seconds,
                            {"beam_size": asked.beam_size, "vad_filter": asked.vad_filter})
        logger.info("%s listens at %s", name, asked.uri)
        asyncio.run(serve(settings, asked.uri))
    except Error as error:
        print(error, file=sys.stderr)
        return error.code
    except (OSError, ValueError) as error:
        print(f"--uri: expected an address to listen at, found {asked.uri}: {error}", file=sys.stderr)
        return UsageError.code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
