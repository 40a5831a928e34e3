"""Names and defaults are those of the real packages."""
import dataclasses
import inspect
import re

import pytest

import whisper_npu
import whisper_npu.utils
import whisper_npu.vad
from whisper_npu import BatchedInferencePipeline, WhisperModel, whisper

faster_whisper = pytest.importorskip("faster_whisper")
theirs = pytest.importorskip("faster_whisper.transcribe")
their_vad = pytest.importorskip("faster_whisper.vad")


# Arguments and fields that faster-whisper does not have, behind all of its own.
OURS = ("channels", "speakers", "speaker_names", "speaker")


def parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", ["WhisperModel.__init__", "WhisperModel.transcribe", "WhisperModel.detect_language",
                                  "BatchedInferencePipeline.__init__", "BatchedInferencePipeline.transcribe"])
def test_methods(name):
    of_class, method = name.split(".")
    ours = [each for each in parameters(getattr(getattr(whisper_npu, of_class), method)) if each[0] not in OURS]
    assert ours == parameters(getattr(getattr(theirs, of_class), method))


@pytest.mark.parametrize("name", ["decode_audio", "available_models", "download_model", "format_timestamp"])
def test_functions(name):
    assert parameters(getattr(whisper_npu, name)) == parameters(getattr(faster_whisper, name))


@pytest.mark.parametrize("name", ["Word", "Segment", "TranscriptionOptions", "TranscriptionInfo"])
def test_dataclasses(name):
    ours, real = getattr(whisper_npu, name), getattr(theirs, name)
    assert [f.name for f in dataclasses.fields(ours) if f.name not in OURS] == [f.name for f in dataclasses.fields(real)]


def test_vad_options():
    ours = [(f.name, f.default) for f in dataclasses.fields(whisper_npu.VadOptions)]
    assert ours == [(f.name, f.default) for f in dataclasses.fields(their_vad.VadOptions)]


def test_names():
    assert whisper_npu.available_models() == faster_whisper.available_models()
    assert set(faster_whisper.__all__) <= set(whisper_npu.__all__)
    from faster_whisper.tokenizer import _LANGUAGE_CODES
    from whisper_npu.arguments import LANGUAGES

    assert list(LANGUAGES) == list(_LANGUAGE_CODES)


@pytest.mark.parametrize("seconds", [0, 0.0004, 0.0005, 1.9996, 59.9995, 3599.9999, 3600, 86399.9, 400000.123])
def test_format_timestamp(seconds):
    for hours in (False, True):
        for marker in ".,":
            ours = whisper_npu.format_timestamp(seconds, hours, marker)
            assert ours == faster_whisper.format_timestamp(seconds, hours, marker)


def test_openai_transcribe():
    """By openai-whisper's source of 20250625, transcribe.py."""
    ours = {p.name: p.default for p in inspect.signature(whisper.Whisper.transcribe).parameters.values()}
    assert list(ours) == [
        "self", "audio", "verbose", "temperature", "compression_ratio_threshold", "logprob_threshold",
        "no_speech_threshold", "condition_on_previous_text", "initial_prompt", "carry_initial_prompt",
        "word_timestamps", "prepend_punctuations", "append_punctuations", "clip_timestamps",
        "hallucination_silence_threshold", "decode_options"]
    assert ours["temperature"] == (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    assert (ours["compression_ratio_threshold"], ours["logprob_threshold"], ours["no_speech_threshold"]) == (2.4, -1, 0.6)


def test_what_is_not_there_says_so():
    with pytest.raises(AttributeError, match="spectrograms"):
        whisper.DecodingOptions


HELPED = [WhisperModel.__init__, WhisperModel.transcribe, WhisperModel.detect_language, BatchedInferencePipeline,
          BatchedInferencePipeline.transcribe, whisper.load_model, whisper.load_audio, whisper.Whisper.transcribe,
          whisper_npu.download_model, whisper_npu.decode_audio, whisper_npu.format_timestamp, whisper_npu.utils.get_writer,
          whisper_npu.vad.get_speech_timestamps]


@pytest.mark.parametrize("function", HELPED, ids=lambda function: function.__qualname__)
def test_every_argument_has_help(function):
    for name in inspect.signature(function).parameters:
        assert name == "self" or re.search(rf"\b{name}(, \w+)*: ", inspect.getdoc(function)), name
