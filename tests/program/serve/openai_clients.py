"""openai_clients.py RECORDING TEXT: each endpoint and format by OpenAI's client for Python; where the server is says
OPENAI_BASE_URL."""
import base64
import io
import sys
import wave

import openai

recording, text = open(sys.argv[1], "rb").read(), sys.argv[2]
client = openai.OpenAI(max_retries=0)


def transcribe(**options):
    return client.audio.transcriptions.create(
        **{"file": ("talk.wav", recording), "model": "tiny.en", "temperature": 0} | options)


def expect_error(kind, words, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert words in error.body["message"] and error.body["type"] == "invalid_request_error", error.body
    else:
        raise AssertionError(f"expected {kind.__name__}")


def check_formats():
    assert transcribe().text == text
    assert transcribe(language="en", prompt="A speech.", response_format="json").text
    assert transcribe(response_format="text").strip() == text
    assert transcribe(response_format="srt").startswith("1\n00:00:00,000 --> 00:00:0")
    assert transcribe(response_format="vtt").startswith("WEBVTT\n\n00:00.000 --> 00:0")
    verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
    assert verbose.text == text and verbose.language == "english" and verbose.duration == 11
    assert "".join(segment.text for segment in verbose.segments).strip() == text
    assert [word.word for word in verbose.words] == text.split()
    assert transcribe(response_format="verbose_json").words is None


def check_stream():
    events = list(transcribe(stream=True))
    assert [event.type for event in events[:-1]] == ["transcript.text.delta"] * (len(events) - 1)
    assert events[-1].type == "transcript.text.done" and events[-1].text == text
    assert "".join(event.delta for event in events[:-1]) == text


def check_errors():
    expect_error(openai.NotFoundError, "no-such", transcribe, model="no-such")
    expect_error(openai.BadRequestError, "file", transcribe, file=("talk.wav", b"no sound"))
    expect_error(openai.BadRequestError, "response_format", transcribe, response_format="docx")
    expect_error(openai.BadRequestError, "temperature", transcribe, temperature=-3)
    expect_error(openai.BadRequestError, "English", client.audio.translations.create, file=("talk.wav", recording),
                 model="tiny.en")


def check_realtime():
    with wave.open(io.BytesIO(recording)) as file:
        samples, rate = file.readframes(file.getnframes()), file.getframerate()
    assert rate == 16000
    # Each second sample twice: 24 kHz.
    samples = b"".join(samples[i:i + 4] + samples[i + 2:i + 4] for i in range(0, len(samples) - 3, 4))
    heard = {}
    with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        connection.session.update(session={"type": "transcription", "audio": {"input": {
            "format": {"type": "audio/pcm", "rate": 24000}, "transcription": {"model": "tiny.en"}, "turn_detection": None}}})
        for at in range(0, len(samples), 24000):
            connection.input_audio_buffer.append(audio=base64.b64encode(samples[at:at + 24000]).decode())
        connection.input_audio_buffer.commit()
        for event in connection:
            assert event.type != "error", event
            if event.type.endswith("transcription.delta"):
                heard[event.item_id] = heard.get(event.item_id, "") + event.delta
            if event.type.endswith("transcription.completed"):
                assert "ask what you can do for your country" in event.transcript.lower(), event
                break
    assert heard, "expected deltas"


def check_key():
    stranger = openai.OpenAI(api_key="wrong", max_retries=0)
    expect_error(openai.AuthenticationError, "key", stranger.audio.transcriptions.create, model="tiny.en",
                 file=("talk.wav", recording))


assert [model.id for model in client.models.list()] == ["tiny.en"]
assert client.models.retrieve("tiny.en").id == "tiny.en"
check_formats()
check_stream()
check_errors()
check_key()
check_realtime()
