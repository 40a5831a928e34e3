"""Rows -> rows with results, by one child process: what runs in each actor, and without Ray as well."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Dict, List, Optional

import pyarrow as pa

from whisper_npu.errors import AudioError
from whisper_npu.ray import results
from whisper_npu.ray.fetch import fetched, temporary_folder
from whisper_npu.ray.helper import Helper
from whisper_npu.ray.join import joined
from whisper_npu.ray.piece_memory import PieceMemory, Stretch
from whisper_npu.ray.work_table import TOLD, WORK_COLUMNS
from whisper_npu.worker import Worker
from whisper_npu.worker_settings import WorkerSettings

_PROBE_SECONDS = 60.0  # to say how long it is
Row = Dict[str, Any]


class Transcriber:
    """Any number of threads may call it at once.

    A row is a thread's: it fetches the audio, cuts it where it is long, and waits for the child. There are
    as many as the child works on together and `fetch_ahead` more, so no more files than that are here.
    """

    def __init__(self, settings: WorkerSettings, cut_seconds: Optional[float] = 600, fetch_ahead: int = 4,
                 memory: Optional[PieceMemory] = None):
        self._cut_seconds = cut_seconds
        self._attempts = settings.max_attempts
        self._language_is_given = bool(settings.language)
        self._cut_timeout = settings.row_timeout
        self._memory = memory or PieceMemory()
        self._helper = Helper()
        self._worker = Worker(settings)
        self._threads = ThreadPoolExecutor(settings.batch_size + fetch_ahead)

    def __call__(self, table: pa.Table) -> pa.Table:
        rows = table.select([name for name in ("_id", "_audio", *TOLD, "_fault", "_seconds") if name in table.column_names])
        answers = list(self._threads.map(self._answer, rows.to_pylist()))
        return with_answers(table, answers)

    def close(self) -> None:
        self._worker.close()
        self._helper.close()
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
            found = self._helper.ask("probe", _PROBE_SECONDS, audio=path, offset=row.get("offset") or 0.0)
            seconds = found["seconds"] if found else None
        if seconds is not None and seconds <= self._cut_seconds:
            return self._worker.submit(told, seconds).result()
        return self._answer_in_pieces(row["_id"], told, path, seconds)

    def _answer_in_pieces(self, name: str, told: Row, path: str, seconds: Optional[float]) -> Row:
        with temporary_folder() as folder:
            cut = self._helper.ask("cut", self._cut_timeout + (seconds or 0.0), path=path, folder=folder,
                                   most=self._cut_seconds, offset=told.get("offset") or 0.0,
                                   duration=told.get("duration"))
            # What the helper cannot read the worker may; what killed the helper may kill it, which it survives.
            if cut is None or not cut.get("stretches"):
                return self._worker.submit(told, cut.get("seconds") if cut else seconds).result()
            stretches = [(begin, end) for begin, end in cut["stretches"]]
            rows = [{"audio_filepath": file, "lang": told.get("lang")} for file in cut["files"]]
            answers = self._answers_to_pieces(name, rows, stretches)
            return joined(stretches, answers, cut["by"])

    def _answers_to_pieces(self, name: str, rows: List[Row], stretches: List[Stretch]) -> List[Row]:
        """The first piece says what is spoken in all of them, as the first window of a recording does."""
        known = self._memory.of(name)

        def begun(i: int) -> "Future[Row]":
            if stretches[i] in known:
                future: "Future[Row]" = Future()
                future.set_result(known[stretches[i]])
                return future
            future = self._worker.submit(rows[i], stretches[i][1] - stretches[i][0])
            future.add_done_callback(lambda done: done.exception() or
                                     self._memory.keep(name, stretches[i], done.result()))
            return future

        futures = []
        if not (rows[0]["lang"] or self._language_is_given):
            futures = [begun(0)]
            language = futures[0].result().get("language")
            rows = [{**row, "lang": language} for row in rows]
        futures += [begun(i) for i in range(len(futures), len(rows))]
        answers = [future.result() for future in futures]
        self._memory.forget(name)
        return answers


def with_answers(table: pa.Table, answers: List[Row]) -> pa.Table:
    """The rows as they came and what was found; columns of an earlier result are replaced."""
    found = table.select([name for name in table.column_names if name not in results.SCHEMA.names and
                          (name not in WORK_COLUMNS or name == "_line")])
    for field, column in zip(results.SCHEMA, results.table_of(answers).columns):
        found = found.append_column(field, column)
    return found
