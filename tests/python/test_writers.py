"""get_writer: the program's own text of a result."""
import json
import pathlib
import subprocess

import pytest

from conftest import QUICK
from whisper_npu import whisper
from whisper_npu.errors import OutputError, UsageError
from whisper_npu.utils import get_writer
from whisper_npu.whisper.utils import get_writer as openai_get_writer

LAYOUTS = [{}, {"max_line_width": 20, "max_line_count": 1}, {"max_words_per_line": 2}, {"highlight_words": True},
           {"subtitle_rules": "netflix"}]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_as_the_program(program, nano, nano_model, tmp_path, layout):
    tone = str(nano / "tone.wav")
    words = [word for name, value in layout.items() for word in ("--" + name.replace("_", "-"), str(value))]
    theirs = ["srt", "vtt", "tsv", "txt", "lrc", "csv"]
    subprocess.run([program, "--model", nano / "model", "--device", "cpu", "--precision", "fp32", "--threads", "1",
                    "--language", "en", "--beam-size", "2", "--temperature-increment-on-fallback", "None",
                    "--max-tokens", "12", "--no-speech-threshold", "None", "--word-timestamps", "True", *words,
                    "--format", ",".join(theirs), "--output-dir", tmp_path / "theirs", tone], check=True, capture_output=True)
    segments = list(nano_model.transcribe(tone, word_timestamps=True, **QUICK)[0])
    result = whisper.Whisper(nano_model).transcribe(tone, word_timestamps=True, language="en", beam_size=2,
                                                    temperature=0.0, sample_len=12, no_speech_threshold=None)
    for folder, found in (("of_segments", segments), ("of_result", result)):
        (tmp_path / folder).mkdir()
        for name in theirs:
            get_writer(name, str(tmp_path / folder))(found, tone, layout)
            assert (tmp_path / folder / f"tone.{name}").read_bytes() == (tmp_path / "theirs" / f"tone.{name}").read_bytes()
    assert (tmp_path / "theirs" / "tone.srt").stat().st_size > 10


def test_all_and_json(nano, nano_model, tmp_path):
    tone = pathlib.Path(nano / "tone.wav")
    result = whisper.Whisper(nano_model).transcribe(str(tone), language="en", temperature=0.0, sample_len=12)
    openai_get_writer("all", str(tmp_path))(result, tone, highlight_words=False, max_line_width=None)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"tone.{name}" for name in ("json", "srt", "tsv", "txt", "vtt")]
    assert json.loads((tmp_path / "tone.json").read_text()) == result


def test_a_cue_that_is_broken_by_its_text_is_mended(tmp_path):
    segments = [{"start": 0.0, "end": 1.5, "text": " one\n\n2\n00:00:05,000 --> 00:00:06,000\ntwo"}]
    get_writer("srt", str(tmp_path))({"segments": segments}, "a.wav")
    assert (tmp_path / "a.srt").read_text().count("\n\n") == 1


def test_what_is_refused(tmp_path):
    with pytest.raises(UsageError, match="output_format: expected one of txt, .*found docx"):
        get_writer("docx", str(tmp_path))
    with pytest.raises(UsageError, match="max_width: expected one of max_line_width"):
        get_writer("srt", str(tmp_path))({"segments": []}, "a.wav", max_width=3)
    with pytest.raises(UsageError, match="subtitle_rules: expected plain, netflix, bbc or FILE.toml, found pbs"):
        get_writer("srt", str(tmp_path))({"segments": []}, "a.wav", subtitle_rules="pbs")
    with pytest.raises(UsageError, match="subtitle_rules: expected no other"):
        get_writer("srt", str(tmp_path))({"segments": []}, "a.wav", subtitle_rules="bbc", max_line_width=9)
    with pytest.raises(OutputError) as raised:
        get_writer("srt", str(tmp_path / "none"))({"segments": []}, "a.wav")
    assert raised.value.code == 6
    recording = tmp_path / "talk.txt"
    recording.write_bytes(b"a recording")
    with pytest.raises(OutputError, match="expected another file than the recording"):
        get_writer("txt", str(tmp_path))({"segments": []}, recording)
    assert recording.read_bytes() == b"a recording"
