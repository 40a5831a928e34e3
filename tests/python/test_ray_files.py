"""What python -m whisper_npu.ray reads and writes, and what an actor does with rows: all but Ray itself."""
import json
import os
import pathlib
import random
import subprocess
import sys
import wave

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="SKIP: pyarrow is not installed (bash tests/python_env.sh --ray)")
import pyarrow.parquet as pq  # noqa: E402

from whisper_npu.errors import AudioNotFoundError, ModelError, UsageError  # noqa: E402
from whisper_npu.ray import fetch  # noqa: E402
from whisper_npu.ray.manifest import read_manifest  # noqa: E402
from whisper_npu.ray.parts import Parts  # noqa: E402
from whisper_npu.ray.piece_memory import Kept  # noqa: E402
from whisper_npu.ray.transcriber import Transcriber  # noqa: E402
from whisper_npu.worker_settings import WorkerSettings  # noqa: E402

FAKE = str(pathlib.Path(__file__).with_name("fake_worker.py"))
LINES = ['{"audio_filepath": "a.wav", "duration": 1.50, "big": 12345678901234567890123, "exact": 1.10, "id": "a"}',
         '{"audio_filepath": "s3://b/c.wav", "offset": 2, "x": {"y": [1, null, "\u2028"]}, "text": "hi"}',
         'no JSON', '{"audio_filepath": 5, "id": 9}', '', '[1]', '{"audio_filepath": "d.wav", "duration": NaN}']


@pytest.fixture
def transcriber(tmp_path):
    made = Transcriber(WorkerSettings(model="fake", program=FAKE, batch_size=2), cut_seconds=20)
    yield made
    made.close()


def manifest(tmp_path, lines):
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def written(folder):
    return [json.loads(line) for part in sorted(pathlib.Path(folder).glob("part-*.jsonl"))
            for line in part.read_text("utf-8").split("\n")[:-1]]


def test_rows_of_json_keep_every_digit_and_wrong_ones_are_named(tmp_path, transcriber):
    for name in ("a.wav", "d.wav"):
        (tmp_path / name).touch()
    table = read_manifest(manifest(tmp_path, LINES), "jsonl")
    assert table.num_rows == 6 and table["_audio"].to_pylist()[:2] == [str(tmp_path / "a.wav"), "s3://b/c.wav"]
    table = table.take([0, 2, 3, 4, 5])  # all but the one in S3
    parts = Parts(str(tmp_path / "out"), "jsonl")
    parts.begin({}, False, False)
    parts.add(transcriber(table))
    parts.flush()
    [part] = (tmp_path / "out").glob("part-*")
    text = part.read_text("utf-8")
    assert '"duration": 1.50, "big": 12345678901234567890123, "exact": 1.10, "id": "a", "status": "ok"' in text
    found = {row["id"]: row for row in written(tmp_path / "out")}
    assert found.keys() == {"a", "line-3", 9, "line-6", "line-7"}
    for wrong in ("line-3", 9, "line-6", "line-7"):
        assert found[wrong]["error"]["code"] == "bad_row" and "expected" in found[wrong]["error"]["message"]
    assert not [name for name in os.listdir(tmp_path / "out") if "part" in name and name.startswith("_")]


def test_parquet_keeps_its_types(tmp_path, transcriber):
    (tmp_path / "a.wav").touch()
    came = pa.table({"audio_filepath": ["a.wav", "none.wav"], "duration": [3.0, 4.0], "bytes": [b"\0x", None],
                     "id": pa.array([1, 2], pa.int64()), "status": ["earlier", "earlier"]})
    pq.write_table(came, tmp_path / "in.parquet")
    parts = Parts(str(tmp_path / "out"), "parquet")
    parts.begin({}, False, False)
    parts.add(transcriber(read_manifest(str(tmp_path / "in.parquet"), "parquet")))
    parts.flush()
    found = pq.read_table(str(tmp_path / "out"))
    assert found.select(["audio_filepath", "duration", "bytes", "id"]).equals(
        came.select(["audio_filepath", "duration", "bytes", "id"]))
    assert found["status"].to_pylist() == ["ok", "failed"] and not [n for n in found.column_names if n[0] == "_"]


def test_json_becomes_parquet_where_columns_have_a_type(tmp_path):
    good = manifest(tmp_path, ['{"audio_filepath": "a.wav", "n": 1}', '{"audio_filepath": "b.wav", "m": [2]}', "wrong"])
    table = read_manifest(good, "parquet")
    assert table["n"].to_pylist() == [1, None, None] and table["m"].to_pylist() == [None, [2], None]
    mixed = manifest(tmp_path, ['{"audio_filepath": "a.wav", "n": 1}', '{"audio_filepath": "b.wav", "n": "x"}'])
    with pytest.raises(UsageError, match="column n: expected one type"):
        read_manifest(mixed, "parquet")


def test_what_is_no_manifest(tmp_path):
    with pytest.raises(AudioNotFoundError, match="expected a manifest"):
        read_manifest(str(tmp_path / "none.jsonl"), "jsonl")
    with pytest.raises(UsageError, match="expected a name that ends"):
        read_manifest(str(tmp_path / "in.csv"), "jsonl")
    (tmp_path / "in.parquet").write_text("no Parquet")
    with pytest.raises(UsageError, match="expected Parquet"):
        read_manifest(str(tmp_path / "in.parquet"), "parquet")
    with pytest.raises(UsageError, match="a .rows 1 and 2."):
        read_manifest(manifest(tmp_path, [LINES[0], LINES[0]]), "jsonl")


def done(ids, status="ok", digest="d"):
    from whisper_npu.ray.results import SCHEMA

    rows = [{"id": found, "status": status, "model_sha256": "m", "options_sha256": digest} for found in ids]
    return pa.Table.from_pylist(rows, schema=SCHEMA.insert(0, pa.field("id", pa.string())))


@pytest.mark.parametrize("format_", ["jsonl", "parquet"])
@pytest.mark.parametrize("seed", range(5))
def test_a_job_that_is_killed_anywhere_is_resumed(tmp_path, format_, seed):
    """Every id once in the end, whatever was done twice and whenever the writer was lost."""
    chosen = random.Random(seed)
    ids = [f"row{i}" for i in range(60)]
    for _ in range(50):
        parts = Parts(str(tmp_path / "out"), format_, rows_of_part=chosen.randrange(1, 20))
        parts.begin({"model": "m"}, True, False)
        left = [found for found in ids if found not in parts.done]
        if not left:
            break
        chosen.shuffle(left)
        for begin in range(0, chosen.randrange(len(left) + 1), 7):
            parts.add(done(left[max(0, begin - 3):begin + 7]))  # some of them again
        if chosen.random() < 0.3:
            parts.flush()
        (tmp_path / "out" / f"_part-x.{format_}.abcd").write_bytes(b"cut off")  # what a killed writer leaves
        parts._lock.close()
    found = [name for part in (tmp_path / "out").glob("part-*")
             for name in Parts(str(tmp_path / "out"), format_).read(part.name)["id"].to_pylist()]
    assert sorted(found) == sorted(ids)


def test_other_jobs_are_not_resumed(tmp_path):
    out = str(tmp_path / "out")
    parts = Parts(out, "jsonl")
    parts.begin({"model": "m", "beam": 5}, False, False)
    with pytest.raises(UsageError, match="expected no other job"):
        Parts(out, "jsonl").begin({"model": "m", "beam": 5}, True, False)
    parts.add(done(["a"]))
    with pytest.raises(UsageError, match="options_sha256 d, found e"):
        parts.add(done(["b"], digest="e"))
    parts.flush()
    parts._lock.close()
    with pytest.raises(UsageError, match="expected a folder without results, or --resume"):
        Parts(out, "jsonl").begin({"model": "m", "beam": 5}, False, False)
    with pytest.raises(UsageError, match="beam: expected 5, with which its results were made, found 1"):
        Parts(out, "jsonl").begin({"model": "m", "beam": 1}, True, False)
    with pytest.raises(UsageError, match="expected parts in parquet"):
        Parts(out, "parquet").begin({"model": "m", "beam": 5}, True, False)


@pytest.mark.parametrize("format_", ["jsonl", "parquet"])
def test_failed_rows_are_done_again_where_that_is_asked_for(tmp_path, format_):
    parts = Parts(str(tmp_path / "out"), format_)
    parts.begin({}, False, False)
    for ids, status in ((["a", "b"], "ok"), (["c"], "failed"), (["d"], "failed")):
        parts.add(done(ids, status))
        if "c" not in ids:
            parts.flush()  # c and d are in one part, a and b in another
    parts._lock.close()
    again = Parts(str(tmp_path / "out"), format_)
    again.begin({}, True, True)
    assert again.done == {"a": "ok", "b": "ok"} and len(list((tmp_path / "out").glob("part-*"))) == 1
    again.add(done(["c", "d"]))
    again.flush()
    again._lock.close()
    last = Parts(str(tmp_path / "out"), format_)
    last.begin({}, True, False)
    assert last.done == dict.fromkeys("abcd", "ok")


def write_tone(path, seconds):
    """Loud but for a quiet second each ten."""
    t = np.arange(int(seconds * 16000))
    loud = np.where((t // 16000) % 10 == 9, 0.0003, 0.3)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes((32767 * loud * np.sin(t * 0.3)).astype(np.int16).tobytes())


def test_long_rows_are_cut_and_put_together(tmp_path, transcriber):
    write_tone(tmp_path / "long.wav", 47)
    write_tone(tmp_path / "short.wav", 19)
    rows = ['{"audio_filepath": "long.wav", "id": "whole"}', '{"audio_filepath": "short.wav", "id": "short"}',
            '{"audio_filepath": "long.wav", "id": "part", "offset": 2.0, "duration": 25.0}']
    table = transcriber(read_manifest(manifest(tmp_path, rows), "jsonl"))
    found = {row["id"]: row for row in table.to_pylist()}
    assert found["short"]["cut"] is None and found["short"]["pred_text"].startswith("short.wav at 0")
    for name, total in (("whole", 47), ("part", 25)):
        row = found[name]
        assert row["status"] == "ok" and row["cut"]["pieces"] == (3 if name == "whole" else 2)
        assert row["audio_duration"] == pytest.approx(total)
        assert [segment["id"] for segment in row["segments"]] == list(range(len(row["segments"])))
        assert row["segments"][-1]["end"] == pytest.approx(total)
        starts = [segment["start"] for segment in row["segments"]]
        assert starts == sorted(starts)
    left = [name for folder in pathlib.Path(fetch._folder_of(os.getpid())).parent.glob("whisper-npu-ray-*")
            if folder.is_dir() for name in os.listdir(folder) if name.endswith(".wav")]
    assert left == []


def test_pieces_that_are_done_are_not_done_again(tmp_path):
    class Spy(Kept):
        def forget(self, row):
            self.forgotten = row

    def found(model, memory):
        made = Transcriber(WorkerSettings(model=model, program=FAKE), cut_seconds=20, memory=memory)
        try:
            return made(read_manifest(path, "jsonl")).to_pylist()[0]
        finally:
            made.close()

    write_tone(tmp_path / "long.wav", 47)
    path = manifest(tmp_path, ['{"audio_filepath": "long.wav", "id": "a", "lang": "en"}'])
    memory = Spy()
    first = found("fake", memory)
    done = memory.of("a")
    assert first["status"] == "ok" and len(done) == 3 and memory.forgotten == "a"
    assert found("missing", memory) == first  # a model that is not there: nothing was left to do
    lost = done.pop(list(done)[1])
    assert found("fake", memory) == first and lost["pred_text"] in [each["pred_text"] for each in memory.of("a").values()]
    done.popitem()
    with pytest.raises(ModelError):
        found("missing", memory)


def test_what_cannot_be_fetched_is_a_failed_row(tmp_path, transcriber, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    rows = ['{"audio_filepath": "http://127.0.0.1:9/a.wav", "duration": 1, "id": "http"}',
            '{"audio_filepath": "nothing://b/a.wav", "duration": 1, "id": "scheme"}',
            '{"audio_filepath": "none.wav", "id": "none"}']
    found = {row["id"]: row for row in transcriber(read_manifest(manifest(tmp_path, rows), "jsonl")).to_pylist()}
    assert all(row["status"] == "failed" and row["error"]["code"] == "audio" for row in found.values())
    assert "expected a recording" in found["http"]["error"]["message"]


def test_fetched_audio_is_here_while_it_is_worked_on(tmp_path):
    import http.server
    import threading

    (tmp_path / "a.wav").write_bytes(b"sound")
    handler = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: handler(*a, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with fetch.fetched(f"http://127.0.0.1:{server.server_port}/a.wav") as path:
        assert path.endswith(".wav") and pathlib.Path(path).read_bytes() == b"sound"
    assert not os.path.exists(path)
    server.shutdown()


def test_what_a_killed_process_left_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "whisper-npu-ray-left"
    left.mkdir()
    (left / "lock").touch()
    fetch._folder_of.cache_clear()
    mine = fetch._folder_of(os.getpid())
    assert not left.exists() and os.path.isdir(mine)
    fetch._folder_of.cache_clear()
    assert fetch._folder_of(os.getpid()) != mine and os.path.isdir(mine)  # which is locked
    fetch._folder_of.cache_clear()


TAKER = """
import os, sys, time
from whisper_npu.ray.fetch import temporary_folder
with temporary_folder() as folder:
    print(end="x", flush=True)
    time.sleep(0.5)
    assert os.path.isdir(folder)
"""


def test_processes_that_begin_at_once_leave_each_other_their_folders(tmp_path):
    started = [subprocess.Popen([sys.executable, "-c", TAKER], env={**os.environ, "TMPDIR": str(tmp_path)},
                                stdout=subprocess.DEVNULL) for _ in range(8)]
    assert [process.wait() for process in started] == [0] * 8
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []
