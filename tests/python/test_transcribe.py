"""What comes out: the command line's text, lazily, of every kind of input."""
import dataclasses
import gc
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import wave

import numpy as np
import pytest

from conftest import QUICK, SHARED
from whisper_npu import BatchedInferencePipeline, WhisperModel, _engine, decode_audio, whisper
from whisper_npu.errors import AudioError, AudioNotFoundError, ModelError, UnsupportedError, UsageError

RECORDINGS = ["jfk.mp3", "LDC93S1.ogg", "LDC93S1_pcms16le_2_44100.wav"]


def run_json(program, *arguments):
    found = subprocess.run([program, "transcribe", "--format", "json", *map(str, arguments)], check=True,
                           capture_output=True)
    return json.loads(found.stdout)


def fields(segments):
    return [(s.seek, s.start, s.end, s.text, s.tokens, s.avg_logprob, s.compression_ratio, s.no_speech_prob)
            for s in segments]


def check_like_program(program, model, path, *options, **arguments):
    theirs = run_json(program, "--device", "cpu", "--threads", 2, "--model", model.engine.path, *options, path)
    ours, info = model.transcribe(path, **arguments)
    ours = list(ours)
    assert [s.text for s in ours] == [s["text"] for s in theirs["segments"]]
    assert [s.tokens for s in ours] == [s["tokens"] for s in theirs["segments"]]
    assert [s.id for s in ours] == [s["id"] + 1 for s in theirs["segments"]]
    for name in ("start", "end", "avg_logprob", "compression_ratio", "no_speech_prob", "temperature", "seek"):
        found = [getattr(s, name) for s in ours]
        assert found == pytest.approx([s[name] for s in theirs["segments"]], abs=1e-5)
    return ours, info, theirs


def test_as_the_program(program, tiny, jfk):
    ours, info, theirs = check_like_program(program, tiny, jfk, "--word-timestamps", "True", word_timestamps=True)
    assert info.duration == 11 and info.language == "en" and info.language_probability == 1
    assert [w.word for s in ours for w in s.words] == [w["word"] for s in theirs["segments"] for w in s["words"]]


@pytest.mark.parametrize("name", RECORDINGS)
def test_as_the_program_of_a_corpus(program, tiny, name):
    if not SHARED.exists():
        pytest.skip("SKIP: no ../shared/corpus")
    check_like_program(program, tiny, str(SHARED / name))


def test_a_detected_language_and_warnings_are_logged(nano_model, nano, caplog):
    options = {**QUICK, "language": None}
    with caplog.at_level("INFO", logger="whisper_npu"):
        segments, info = nano_model.transcribe(str(nano / "tone.wav"), **options)
        assert f"Detected language '{info.language}' with probability" in caplog.text
        list(segments)
    guess = [r for r in caplog.records if "the language is a guess" in r.getMessage()]
    assert len(guess) == (info.language_probability < 0.5)


def test_by_speech_as_the_program(program, tiny, jfk):
    check_like_program(program, tiny, jfk, "--vad", "True", vad_filter=True)


def speech_detector():
    from whisper_npu.arguments import vad_weights

    if not os.path.exists(vad_weights()):
        pytest.skip("SKIP: the speech detector was not fetched (app/quickstart.sh)")


VADS = [{}, {"threshold": 0.3, "min_silence_duration_ms": 100}, {"max_speech_duration_s": 4}, {"speech_pad_ms": 0, "max_speech_duration_s": 2},
        {"min_silence_duration_ms": 160, "min_speech_duration_ms": 200}]


@pytest.mark.parametrize("options", VADS)
def test_speech_timestamps_as_faster_whisper(jfk, options):
    theirs = pytest.importorskip("faster_whisper.vad")
    from whisper_npu.vad import VadOptions, get_speech_timestamps

    speech_detector()
    samples = np.concatenate([decode_audio(jfk), np.zeros(70000, np.float32), decode_audio(jfk)])
    found = get_speech_timestamps(samples, **options)
    # Its network is another version of the detector.
    agreed = [np.zeros(len(samples), bool) for _ in range(2)]
    for heard, stretches in zip(agreed, (found, theirs.get_speech_timestamps(samples, **options))):
        for stretch in stretches:
            heard[stretch["start"]:stretch["end"]] = True
    assert 0.4 < agreed[0].mean() < 0.9 and (agreed[0] == agreed[1]).mean() > 0.85
    most = options.get("max_speech_duration_s", 1000) * 16000 + 512
    assert all(type(bound) is int for stretch in found for bound in stretch.values())
    assert all(0 < stretch["end"] - stretch["start"] <= most for stretch in found)
    assert get_speech_timestamps(samples, VadOptions(**options)) == found
    with pytest.raises(UnsupportedError, match="sampling_rate"):
        get_speech_timestamps(samples, sampling_rate=8000)


def test_speech_is_cut_as_it_is_asked_for(tiny, jfk):
    speech_detector()
    samples = np.tile(decode_audio(jfk), 3)

    def clips(pipeline, **options):
        of_all = pipeline.transcribe(samples, vad_filter=True, **options)[0]
        begun = np.asarray([segment.seek for segment in of_all])
        return len(set(begun))
    few, many = clips(tiny), clips(tiny, vad_parameters={"max_speech_duration_s": 5})
    assert many > few and many >= 6
    batched = BatchedInferencePipeline(tiny)
    assert clips(batched, chunk_length=5) > clips(batched)
    for seconds in (0.5, float("nan")):
        with pytest.raises(UsageError, match="^vad_parameters.max_speech_duration_s: expected a number from 1"):
            tiny.transcribe(samples, vad_filter=True, vad_parameters={"max_speech_duration_s": seconds})
    with pytest.raises(UnsupportedError, match="^chunk_length: expected 1 to 30"):
        batched.transcribe(samples, chunk_length=31)


def test_every_kind_of_input_is_the_same_audio(nano_model, nano):
    tone = str(nano / "tone.wav")
    samples = decode_audio(tone)
    expected = fields(nano_model.transcribe(tone, **QUICK)[0])
    assert expected
    whole = np.round(samples * 32768).astype(np.int16)
    for audio in (samples, whole, samples.astype(np.float64), np.repeat(samples, 2)[::2], open(tone, "rb"),
                  io.BytesIO(open(tone, "rb").read()), pathlib.Path(tone)):
        assert fields(nano_model.transcribe(audio, **QUICK)[0]) == expected


def test_samples_are_not_copied(nano_model, noise):
    """The engine reads the array itself, which is kept meanwhile, and nothing stands in its place."""
    options = _engine.TranscribeOptions()
    for samples in (noise, (noise * 32767).astype(np.int16)):
        references = sys.getrefcount(samples)
        held = _engine.Transcription(nano_model.engine, samples, options, False)
        held.beginning()
        assert sys.getrefcount(samples) > references
        del held
        assert sys.getrefcount(samples) == references
    for other in (noise.astype(np.float64), noise[::2]):
        with pytest.raises(TypeError):
            _engine.Transcription(nano_model.engine, other, options, False)


# Steps of 16 bits by which PyAV's FFmpeg and the system's may differ: the versions round differently where
# they resample, and where they mix two channels.
NEAR = {"jfk.mp3": 0, "LDC93S1.opus": 0, "8_Channel_ID.m4a": 0, "LDC93S1.ogg": 1, "LDC93S1_pcms16le_1_8000.wav": 1,
        "LDC93S1_pcms16le_2_44100.wav": 1, "kennedy_moon_44100_stereo.wav": 6}


def test_pyav_gives_the_engine_samples(jfk, tmp_path):
    """As faster-whisper's function bit for bit, and the engine's where nothing is resampled."""
    theirs = pytest.importorskip("faster_whisper.audio")
    paths = {jfk: 0}
    if SHARED.exists():
        paths.update({str(SHARED / name): steps for name, steps in NEAR.items()})
    for path, steps in paths.items():
        ours = decode_audio(path)
        assert np.array_equal(ours, theirs.decode_audio(path)), path
        of_engine = _engine.decode(path)[0]
        assert ours.shape == of_engine.shape
        assert np.abs(ours - of_engine).max() * 32768 <= steps, path
    stereo = tmp_path / "stereo.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-i", jfk, "-ac", "2", "-ar", "44100", stereo], check=True)
    for ours, real in zip(decode_audio(str(stereo), 8000, True), theirs.decode_audio(str(stereo), 8000, True)):
        assert np.array_equal(ours, real)


def test_segments_are_decoded_as_they_are_asked_for(nano_model, noise):
    seen = []
    audio = np.tile(noise, 30)
    segments, info = nano_model.transcribe(audio, log_progress=lambda done, total: seen.append((done, total)), **QUICK)
    assert info.duration == 1200
    time.sleep(0.3)
    assert not [done for done, _ in seen if done > 0]  # nothing before it is asked for
    first = next(segments)
    assert first.id == 1
    for _ in range(3):
        next(segments)
    time.sleep(1)  # and not much more than that
    next(segments)
    assert seen and seen[-1][0] < 1200 and all(total == 1200 for _, total in seen)
    begin = time.monotonic()
    segments.close()
    assert time.monotonic() - begin < 0.5
    assert list(segments) == []
    again = list(nano_model.transcribe(noise, **QUICK)[0])
    assert again[0].text == first.text


def test_two_at_once_in_one_thread(nano_model, noise):
    expected = fields(nano_model.transcribe(noise, **QUICK)[0])
    one, two = (nano_model.transcribe(noise, **QUICK)[0] for _ in range(2))
    pairs = list(zip(one, two))
    assert fields([a for a, _ in pairs]) == fields([b for _, b in pairs]) == expected


def test_a_generator_that_is_dropped_stops(nano_model, noise):
    nano_model.transcribe(np.tile(noise, 30), **QUICK)
    begin = time.monotonic()
    gc.collect()
    assert time.monotonic() - begin < 0.5


def test_progress_by_tqdm(nano_model, noise, capsys):
    list(nano_model.transcribe(noise, log_progress=True, **QUICK)[0])
    assert "40.0/40.0" in capsys.readouterr().err


def test_batches(tiny, jfk):
    samples = decode_audio(jfk)
    pipeline = BatchedInferencePipeline(tiny)
    clips = [{"start": 0.0, "end": 11.0}, {"start": 11.0, "end": 22.0}]
    segments, info = pipeline.transcribe(np.concatenate([samples, samples]), clip_timestamps=clips, vad_filter=False)
    segments = list(segments)
    assert [(s.start, s.end) for s in segments] == [(0, 11), (11, 22)]
    assert all("ask what you can do for your country" in s.text.lower() for s in segments)
    assert info.duration == info.duration_after_vad == 22
    assert info.transcription_options.clip_timestamps == clips
    segments, info = pipeline.transcribe(jfk, vad_filter=False)
    assert len(list(segments)) == 1
    with pytest.raises(RuntimeError, match="vad_filter=True or clip_timestamps"):
        pipeline.transcribe(np.zeros(16000 * 31, np.float32), vad_filter=False)


def test_dataclasses(nano_model, noise):
    segments, info = nano_model.transcribe(noise, word_timestamps=True, **QUICK)
    segment = next(segments)
    with pytest.warns(DeprecationWarning):
        assert segment._asdict() == dataclasses.asdict(segment)
    with pytest.warns(DeprecationWarning):
        assert segment.words[0]._asdict() == dataclasses.asdict(segment.words[0])
    assert info.transcription_options.beam_size == 2
    assert info.vad_options is None
    assert dataclasses.asdict(info)["transcription_options"]["temperatures"] == [0.0]


def test_nothing_to_hear(nano_model):
    for dtype in (np.float32, np.int16):
        segments, info = nano_model.transcribe(np.zeros(0, dtype))
        assert list(segments) == [] and info.duration == info.duration_after_vad == 0


REFUSED = [
    ("chunk_length", 15), ("chunk_length", 31), ("length_penalty", 0.5), ("prompt_reset_on_temperature", 0.9),
    ("initial_prompt", [1, 2]),
]


def test_several_languages(nano_model, noise):
    """A model of English alone has one, and the logger tells."""
    for transcribe in (nano_model.transcribe, BatchedInferencePipeline(nano_model).transcribe):
        segments, info = transcribe(noise[:20 * 16000], multilingual=True, vad_filter=False, **QUICK)
        assert list(segments)
        assert info.transcription_options.multilingual == nano_model.engine.is_multilingual
        assert info.language in nano_model.supported_languages


@pytest.mark.parametrize("name,value", REFUSED)
def test_what_the_engine_lacks_is_refused(nano_model, noise, name, value):
    with pytest.raises(UnsupportedError, match=f"^{name}: expected ") as raised:
        nano_model.transcribe(noise, **{name: value})
    assert raised.value.option == name and raised.value.code == 2
    assert raised.value.expected and raised.value.found


@pytest.mark.parametrize("name,value", [("prefix", "a"), ("no_speech_threshold", 0.3), ("log_prob_threshold", -2.0),
                                        ("hallucination_silence_threshold", 1.0)])
def test_what_batches_do_not_use_is_refused(nano_model, noise, name, value):
    with pytest.raises(UnsupportedError, match=f"^{name}: "):
        BatchedInferencePipeline(nano_model).transcribe(noise, **{name: value})


@pytest.mark.parametrize("arguments", [{"device": "cuda"}, {"compute_type": "float8"}, {"files": {"model.bin": b""}},
                                       {"flash_attention": True}, {"device": "cpu", "device_index": 1}])
def test_models_that_are_refused(nano, arguments):
    with pytest.raises(UnsupportedError):
        WhisperModel(str(nano / "model"), **arguments)


@pytest.mark.parametrize("asked, used", [("float16", "float32"), ("bfloat16", "float32"), ("int8_float16", "int8"),
                                         ("int8_bfloat16", "int8")])
def test_numbers_that_a_cpu_has_not_are_told(nano, caplog, asked, used):
    model = WhisperModel(str(nano / "model"), device="cpu", compute_type=asked)
    assert model.engine.cpu_precision == {"float32": "fp32"}.get(used, used)
    assert f"no {asked}: computed in {used}" in caplog.text


def test_device_and_dims(nano, nano_model):
    model = whisper.load_model(str(nano / "model"), device="cpu")
    assert model.device == nano_model.device == "cpu"
    assert (model.dims.n_audio_ctx, model.dims.n_text_ctx) == (1500, 448)
    assert model.dims.n_vocab >= 51864 and model.dims.n_mels in (80, 128) and nano_model.dims.n_audio_layer > 0


def test_errors(nano_model, nano, noise, tmp_path):
    with pytest.raises(AudioNotFoundError) as raised:
        nano_model.transcribe("/none/such.wav")
    assert isinstance(raised.value, FileNotFoundError)
    assert (raised.value.code, raised.value.path) == (4, "/none/such.wav")
    text = tmp_path / "text.wav"
    text.write_text("no sound " * 100)
    with pytest.raises(AudioError) as raised:
        nano_model.transcribe(str(text))
    assert raised.value.path == str(text) and raised.value.expected == "audio"
    with pytest.raises(AudioError) as raised:
        nano_model.transcribe(open(text, "rb"))
    assert raised.value.path == str(text)
    with pytest.raises(AudioError, match="finite"):
        nano_model.transcribe(np.full(16000, np.nan, np.float32))
    with pytest.raises(ValueError, match="beam_size: expected a whole number from 1 to 64, found 0"):
        nano_model.transcribe(noise, beam_size=0)
    with pytest.raises(UsageError, match="task"):
        nano_model.transcribe(noise, task="sing")
    with pytest.raises(UsageError, match="xx"):
        nano_model.transcribe(noise, language="xx")
    with pytest.raises(TypeError, match="beam_size"):
        nano_model.transcribe(noise, beam_size="many")
    with pytest.raises(TypeError, match="found int32"):
        nano_model.transcribe(np.zeros(10, np.int32))
    with pytest.raises(ValueError, match="one dimension"):
        nano_model.transcribe(np.zeros((2, 10), np.float32))
    (nano / "broken").mkdir(exist_ok=True)
    (nano / "broken" / "model.bin").write_bytes(b"nothing")
    with pytest.raises(ModelError) as raised:
        WhisperModel(str(nano / "broken"))
    assert raised.value.code == 3 and raised.value.path


@pytest.mark.parametrize("arguments, name", [
    ({"temperature": 2}, "temperature"), ({"max_new_tokens": 500}, "max_new_tokens"), ({"beam_size": 0}, "beam_size"),
    ({"log_prob_threshold": float("nan")}, "log_prob_threshold"), ({"initial_prompt": "\ud800"}, "initial_prompt"),
    ({"prefix": "\udcff"}, "prefix"), ({"vad_filter": True, "vad_parameters": {"threshold": 2}}, "vad_parameters.threshold"),
])
def test_errors_name_the_argument(nano_model, noise, arguments, name):
    with pytest.raises(UsageError, match=f"^{name}: expected .*, found") as raised:
        nano_model.transcribe(noise, **arguments)
    assert raised.value.option == name


def test_paths_are_bytes(nano_model, nano, tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/m\xff")
    shutil.copytree(nano / "model", folder)
    assert WhisperModel(folder, device="cpu").engine.path == folder
    path = os.fsdecode(os.fsencode(tmp_path) + b"/n\xff.wav")
    with pytest.raises(AudioNotFoundError) as raised:
        nano_model.transcribe(path)
    assert raised.value.path == path and "n\\udcff.wav" in str(raised.value)
    shutil.copy(nano / "tone.wav", path)
    expected = fields(nano_model.transcribe(str(nano / "tone.wav"), **QUICK)[0])
    for name in (path, pathlib.Path(path)):
        assert fields(nano_model.transcribe(name, **QUICK)[0]) == expected
    for read in (nano_model.transcribe, _engine.decode):
        with pytest.raises(ValueError):
            read(str(nano / "tone.wav") + "\0.wav")


@pytest.mark.parametrize("language", ["en", "EN", "English", "english"])
def test_openai_names_of_languages(nano_model, noise, language):
    found = whisper.Whisper(nano_model).transcribe(noise[:16000], language=language, sample_len=4)
    assert found["language"] == "en"


def test_openai_aliases_of_languages():
    for name, code in (("German", "de"), ("DE", "de"), ("Burmese", "my"), ("Castilian", "es"), ("klingon", None)):
        assert _engine.find_language(name) == code


def test_errors_can_be_pickled():
    import pickle

    error = pickle.loads(pickle.dumps(AudioNotFoundError("a.wav: expected audio, found none", path="a.wav")))
    assert (error.path, error.expected, error.found, str(error)) == ("a.wav", "audio", "none",
                                                                    "a.wav: expected audio, found none")


def test_openai_interface(program, tiny, jfk, capsys):
    model = whisper.load_model("tiny.en")
    found = model.transcribe(jfk, verbose=True, word_timestamps=True, fp16=False)
    theirs = run_json(program, "--model", "tiny.en", "--beam-size", 1, "--best-of", 1, "--word-timestamps", "True", jfk)
    assert found["text"] == theirs["text"] and found["language"] == "en"
    keys = {"id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio",
            "no_speech_prob", "words"}
    assert [set(s) for s in found["segments"]] == [keys] * len(theirs["segments"])
    assert [s["tokens"] for s in found["segments"]] == [s["tokens"] for s in theirs["segments"]]
    assert set(found["segments"][0]["words"][0]) == {"word", "start", "end", "probability"}
    assert found["segments"][0]["text"] in capsys.readouterr().out
    assert whisper.transcribe(model, whisper.load_audio(jfk), fp16=False)["text"]
    with pytest.raises(UsageError, match="^temperatur: expected one of"):
        model.transcribe(jfk, temperatur=0)
    assert "turbo" in whisper.available_models()


def test_channels_are_speakers(tiny, jfk, tmp_path):
    samples = (decode_audio(jfk) * 32767).astype(np.int16)
    both = np.zeros((2 * len(samples), 2), np.int16)
    both[:len(samples), 0] = both[len(samples):, 1] = samples
    path = str(tmp_path / "both.wav")
    with wave.open(path, "wb") as file:
        file.setparams((2, 2, 16000, len(both), "NONE", ""))
        file.writeframes(both.tobytes())
    plain = "".join(s.text for s in tiny.transcribe(jfk)[0])
    found = list(tiny.transcribe(path, vad_filter=False, channels="separate", speaker_names={"left": "Anna"},
                                 word_timestamps=True)[0])
    assert [s.speaker for s in found] == sorted(s.speaker for s in found)  # one behind the other
    anna = "".join(s.text for s in found if s.speaker == "Anna")
    assert anna.replace(",", "") == plain.replace(",", "")  # silence behind the words moves a comma
    assert {w.speaker for s in found for w in s.words if s.speaker == "right"} == {"right"}
    with pytest.raises(UsageError, match="speakers"):
        tiny.transcribe(path, channels="separate", speakers=2)
    with pytest.raises(UsageError, match="channels"):
        tiny.transcribe(path, channels="left")


def test_align(tiny, jfk):
    text = "It was a cold day.\nAnd so, my fellow Americans:\nask not what your country can do for you."
    cold, so, ask = tiny.align(jfk, text, language="en")
    assert all(word.probability == 0 and word.start == word.end for word in cold.words)
    assert [s.text for s in (so, ask)] == [" And so, my fellow Americans:", " ask not what your country can do for you."]
    assert (so.words[3].start, ask.words[-1].end) == pytest.approx((1.24, 7.67), abs=0.3)  # fellow; you.
    assert [s.text for s in tiny.align(jfk, ["And so", "my fellow Americans"])] == [" And so", " my fellow Americans"]
    with pytest.raises(ValueError, match="text: expected words"):
        tiny.align(jfk, " \n")
