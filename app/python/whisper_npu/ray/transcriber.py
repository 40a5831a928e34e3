"""Rows -> rows with results, by one child process: what runs in each actor, and without Ray as well."""

import os
import wave
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Optional

import numpy as np
import pyarrow as pa

from whisper_npu.audio import SAMPLE_RATE, decode_int16
from whisper_npu.errors import AudioError
from whisper_npu.ray import cut, results
from whisper_npu.ray.fetch import fetched, temporary_folder
from whisper_npu.ray.join import joined
from whisper_npu.ray.probe import seconds_of_file
from whisper_npu.ray.work_table import TOLD, WORK_COLUMNS
from whisper_npu.worker import Worker
from whisper_npu.worker_settings import WorkerSettings

Row = Dict[str, Any]


class Transcriber:
    """Any number of threads may call it at once.

    A row is a thread's: it fetches the audio, cuts it where it is long, and waits for the child. There are
    as many as the child works on together and `fetch_ahead` more, so no more files than that are here.
    """

    def __init__(self, settings: WorkerSettings, cut_seconds: Optional[float] = 600, fetch_ahead: int = 4):
        self._cut_seconds = cut_seconds
        self._attempts = settings.max_attempts
        self._language_is_given = bool(settings.language)
        self._worker = Worker(settings)
        self._threads = ThreadPoolExecutor(settings.batch_size + fetch_ahead)

    def __call__(self, table: pa.Table) -> pa.Table:
        rows = table.select([name for name in ("_audio", *TOLD, "_fault", "_seconds") if name in table.column_names])
        answers = list(self._threads.map(self._answer, rows.to_pylist()))
        return with_answers(table, answers)

    def close(self) -> None:
        self._worker.close()
        self._threads.shutdown(cancel_futures=True)

    def _answer(self, row: Row) -> Row:
        if row["_fault"] is not None:
            return results.failed("bad_row", 2, row["_fault"])
        try:
            with fetched(row["_audio"], self._attempts) as path:
                answer = self._answer_of_file(row, path)
                if answer["status"] == "failed":  # which tells of a copy by its name
                    answer["error"]["message"] = answer["error"]["message"].replace(path, row["_audio"])
                return answer
        except AudioError as error:  # others are the worker's: there is no use in going on
            return results.failed("audio", error.code, str(error))

    def _answer_of_file(self, row: Row, path: str) -> Row:
        told = {name: row[name] for name in TOLD if row.get(name) is not None}
        told["audio_filepath"] = os.path.abspath(path)
        if self._cut_seconds is None:
            return self._worker.submit(told, row["_seconds"]).result()
        seconds = row["_seconds"]
        if seconds is None:
            whole = seconds_of_file(path)
            seconds = None if whole is None else max(0.0, whole - (row.get("offset") or 0.0))
        if seconds is not None and seconds <= self._cut_seconds:
            return self._worker.submit(told, seconds).result()
        return self._answer_in_pieces(told, path)

    def _answer_in_pieces(self, told: Row, path: str) -> Row:
        try:
            samples = decode_int16(path)
        except AudioError:
            return self._worker.submit(told).result()  # it says what is wrong, or can read it
        begin = int((told.get("offset") or 0.0) * SAMPLE_RATE)
        end = begin + int(told["duration"] * SAMPLE_RATE) if told.get("duration") else len(samples)
        samples = samples[begin:end]
        total = len(samples) / SAMPLE_RATE
        if total <= self._cut_seconds:
            return self._worker.submit(told, total).result()
        levels, by = cut.speech(samples)
        stretches = cut.pieces(total, self._cut_seconds, cut.silences(levels), levels)
        with temporary_folder() as folder:
            rows = []
            for number, (begin, end) in enumerate(stretches, 1):
                rows.append({"audio_filepath": os.path.join(folder, f"{number:04}.wav"), "lang": told.get("lang")})
                _write(rows[-1]["audio_filepath"], samples[round(begin * SAMPLE_RATE):round(end * SAMPLE_RATE)])
            del samples
            return joined(stretches, self._answers_to_pieces(rows, [end - begin for begin, end in stretches]), by)

    def _answers_to_pieces(self, rows: List[Row], seconds: List[float]) -> List[Row]:
        """The first piece says what is spoken in all of them, as the first window of a recording does."""
        first = []
        if not (rows[0]["lang"] or self._language_is_given):
            first = [self._worker.submit(rows[0], seconds[0]).result()]
            rows = [{**row, "lang": first[0].get("language")} for row in rows]
        futures = [self._worker.submit(rows[i], seconds[i]) for i in range(len(first), len(rows))]
        return first + [future.result() for future in futures]


def with_answers(table: pa.Table, answers: List[Row]) -> pa.Table:
    """The rows as they came and what was found; columns of an earlier result are replaced."""
    found = table.select([name for name in table.column_names if name not in results.SCHEMA.names and
                          (name not in WORK_COLUMNS or name == "_line")])
    for field, column in zip(results.SCHEMA, results.table_of(answers).columns):
        found = found.append_column(field, column)
    return found


def _write(path: str, samples: np.ndarray) -> None:
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
