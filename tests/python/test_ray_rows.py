"""Rows of a manifest before and after the work on them: ids, order, packing, cutting, joining."""
import hashlib
import json
import os
import random

import numpy as np
import pytest

from whisper_npu.errors import ResourceError, UsageError
from whisper_npu.ray import cut
from whisper_npu.ray.cluster import actors_for
from whisper_npu.ray.join import joined
from whisper_npu.ray.rows import (absolute, fault_of, id_of, local_path, longest_first, packed, refuse_duplicates,
                                  task_size)


def test_what_is_wrong_with_a_row():
    good = {"audio_filepath": "a.wav", "offset": 0, "duration": 1.5, "lang": "en", "text": None, "id": 7, "more": [1]}
    assert fault_of(good) is None
    wrong = {"audio_filepath": [None, "", 3, "a\0b"], "offset": [-1, float("nan"), "1", True, 1e9],
             "duration": [0, -1, float("inf"), []], "lang": [5], "text": [["x"]], "id": [[1], True]}
    for name, values in wrong.items():
        for value in values:
            assert fault_of({**good, name: value}).startswith(f"{name}: expected "), (name, value)


def test_ids_are_the_workers():
    stretch = hashlib.sha256(b"a.wav\n1.500000\n").hexdigest()[:16]
    assert id_of({"audio_filepath": "a.wav", "offset": 1.5}, 1) == stretch
    assert id_of({"audio_filepath": "a.wav", "offset": 1.5, "duration": 2}, 1) != stretch
    assert id_of({"audio_filepath": "a.wav", "id": 12}, 1) == "12"
    assert id_of({"audio_filepath": None}, 3) == "row-3"


def test_ids_are_refused_twice():
    refuse_duplicates(str(i) for i in range(1000))
    with pytest.raises(UsageError, match=r"7 \(rows 8 and 11\)"):
        refuse_duplicates([*map(str, range(10)), "7"])


def test_paths():
    assert absolute("a.wav", "/m") == "/m/a.wav"
    assert absolute("a.wav", "s3://bucket/m") == "s3://bucket/m/a.wav"
    assert absolute("s3://b/a.wav", "/m") == "s3://b/a.wav"
    assert local_path("file:///a%20b.wav") == "/a b.wav" and local_path("s3://b/a.wav") is None


@pytest.mark.parametrize("seed", range(20))
def test_every_row_is_in_one_task_and_the_longest_come_first(seed):
    chosen = random.Random(seed)
    seconds = [None if chosen.random() < 0.1 else chosen.lognormvariate(3, 1.5) for _ in range(chosen.randrange(300))]
    order = longest_first(seconds)
    known = [seconds[row] or 0.0 for row in order]
    assert sorted(order) == list(range(len(seconds))) and known == sorted(known, reverse=True)
    most, rows = task_size(seconds, chosen.randrange(1, 9), 240, 8)
    tasks = packed(seconds, order, most, rows)
    assert [row for task in tasks for row in task] == order
    for task in tasks:
        audio = sum(30.0 if seconds[row] is None else seconds[row] for row in task)
        assert len(task) == 1 or (audio <= most + 1e-6 and len(task) <= rows)


def test_tasks_are_small_for_an_actor_and_not_too_many_for_the_head():
    for actors in (1, 3, 32, 100, 1000):
        rows = 2000 * actors
        audio, most = task_size([20.0] * rows, actors, 240, 8)
        tasks = rows / min(most, audio // 20)
        assert 32 <= tasks / actors <= 400 and (actors < 128 or tasks <= 80 * actors)
        assert 120 <= audio <= 960 and most >= 4


@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_the_whole_and_are_cut_in_silence(seed):
    chosen = np.random.default_rng(seed)
    total, most = float(chosen.uniform(1, 400)), float(chosen.uniform(5, 60))
    levels = np.ones(int(np.ceil(total * 16000 / 512)))
    for begin in chosen.integers(0, len(levels), int(total / 3)):
        levels[begin:begin + int(chosen.integers(1, 40))] = 0
    quiet = cut.silences(levels)
    assert all(end - begin >= 0.2 for begin, end in quiet)
    found = cut.pieces(total, most, quiet, levels)
    assert found[0][0] == 0 and found[-1][1] == total
    assert all(one[1] == other[0] for one, other in zip(found, found[1:]))
    assert all(0 < end - begin <= most for begin, end in found)
    for begin, end in found[:-1]:
        window = [s for s in quiet if min(s[1], begin + most - 1) - max(s[0], begin + most / 2) >= 0.1]
        assert not window or any(s[0] <= end <= s[1] for s in quiet), "there was a silence"
        assert end - begin >= most / 2 - 1e-3


def tone(seconds, loud=0.3):
    return (32767 * loud * np.sin(np.arange(int(seconds * 16000)) * 0.3)).astype(np.int16)


def test_without_weights_it_is_cut_where_it_is_quiet(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("whisper_npu.arguments._VAD_WEIGHTS", str(tmp_path / "none"))
    cut._warn_once.cache_clear()
    samples = np.concatenate([tone(7), tone(1, 0.001), tone(7), tone(0.5, 0.001), tone(7)])
    levels, by = cut.speech(samples)
    assert by == "energy" and "no Silero weights" in capsys.readouterr().err
    (_, first), (_, second), _ = cut.pieces(len(samples) / 16000, 10, cut.silences(levels), levels)
    assert first == pytest.approx(7.5, abs=0.05) and second == pytest.approx(15.25, abs=0.05)


def test_silero_hears_where_nobody_speaks(jfk):
    from whisper_npu.audio import decode_int16

    speech = decode_int16(jfk)
    silence = np.zeros(2 * 16000, np.int16)
    levels, by = cut.speech(np.concatenate([speech, silence, speech]))
    if by == "energy":
        pytest.skip("SKIP: Silero's weights were not fetched (app/quickstart.sh)")
    assert len(levels) == -(-(2 * len(speech) + len(silence)) // 512)
    total = (2 * len(speech) + len(silence)) / 16000
    (_, end), _ = cut.pieces(total, 16, cut.silences(levels), levels)
    assert len(speech) / 16000 - 0.5 < end < len(speech) / 16000 + 2.5


def answer(seconds, texts, **more):
    step = seconds / max(1, len(texts))
    segments = [{"id": i, "start": i * step, "end": (i + 1) * step, "text": text} for i, text in enumerate(texts)]
    return {"status": "ok", "pred_text": "".join(texts).strip(), "segments": segments, "audio_duration": seconds,
            "seconds": 1.0, "attempts": 1, "language": "en", **more}


@pytest.mark.parametrize("seed", range(10))
def test_pieces_joined_are_the_whole(seed):
    chosen = random.Random(seed)
    texts = [f" word{i}" for i in range(chosen.randrange(40))]
    ends = sorted(chosen.sample(range(len(texts) + 1), min(3, len(texts))))
    parts = [texts[begin:end] for begin, end in zip([0, *ends], [*ends, len(texts)])]
    stretches, begin = [], 0.0
    for _ in parts:
        stretches.append((begin, begin + chosen.randrange(1, 60)))
        begin = stretches[-1][1]
    whole = joined(stretches, [answer(end - begin, part) for (begin, end), part in zip(stretches, parts)], "silero")
    assert whole["pred_text"] == "".join(texts).strip()
    assert [segment["id"] for segment in whole["segments"]] == list(range(len(texts)))
    times = [time for segment in whole["segments"] for time in (segment["start"], segment["end"])]
    assert times == sorted(times) and all(0 <= time <= begin for time in times)
    assert whole["audio_duration"] == pytest.approx(begin) and whole["cut"] == {"pieces": len(parts), "by": "silero"}
    json.dumps(whole)


def test_a_failed_piece_fails_its_row_and_is_named():
    failed = {"status": "failed", "error": {"code": "crashed", "exit_code": 70, "message": "its process"}, "attempts": 2}
    whole = joined([(0, 10), (10, 15)], [answer(10, [" a"]), failed], "energy")
    assert whole["status"] == "failed" and whole["attempts"] == 2 and "pred_text" not in whole
    assert whole["error"]["message"] == "piece 2 of 2 (10.000 s to 15.000 s): its process"


def test_actors_leave_a_cpu():
    assert actors_for([16, 16], 2) == 15
    assert actors_for([3], 2) == 1
    assert actors_for([5, 5], 2) == 4
    assert actors_for([4, 4], 2, wanted=2) == 2
    for nodes, threads, wanted in (([1, 1, 1], 2, None), ([2], 2, None), ([1], 1, None), ([4], 2, 2), ([], 1, None)):
        with pytest.raises(ResourceError, match="expected .* found"):
            actors_for(nodes, threads, wanted)
    with pytest.raises(UsageError):
        actors_for([4], 1, wanted=0)


@pytest.mark.parametrize("seed", range(10))
def test_actors_fit_and_never_take_everything(seed):
    chosen = random.Random(seed)
    nodes = [chosen.randrange(1, 33) for _ in range(chosen.randrange(1, 20))]
    threads = chosen.randrange(1, 9)
    try:
        actors = actors_for(nodes, threads)
    except ResourceError:
        assert sum(node // threads for node in nodes) <= 1
        return
    assert actors <= sum(node // threads for node in nodes) and actors * threads < sum(nodes)


def test_a_file_that_kills_who_looks_into_it(jfk, tmp_path):
    """As one would that hangs it: a pipe that nobody writes to."""
    from whisper_npu.ray.helper import Helper

    helper = Helper()
    assert helper.ask("probe", 60, audio=jfk, offset=1.0) == {"seconds": pytest.approx(10, abs=0.1)}
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    assert helper.ask("probe", 0.5, audio=str(pipe), offset=0.0) is None
    cut = helper.ask("cut", 60, path=jfk, offset=0.0, duration=None, most=5.0, folder=str(tmp_path))
    assert cut["seconds"] == pytest.approx(11, abs=0.1) and len(cut["files"]) == len(cut["stretches"]) > 2
    (tmp_path / "no.wav").write_text("no recording")
    assert "expected audio" in helper.ask("cut", 60, path=str(tmp_path / "no.wav"), offset=0.0, duration=None, most=5.0,
                                          folder=str(tmp_path))["error"]
    helper.close()
