"""Results as files of a folder, on disk or in S3: each appears whole, and what is there is kept."""

import fcntl
import json
import os
import uuid
from typing import Any, Dict, List, Optional, Set

import pyarrow as pa

from whisper_npu.errors import UsageError
from whisper_npu.ray.fetch import filesystem_of
from whisper_npu.ray.results import SCHEMA

_JOB = "_job.json"  # names with _ are no data for Spark, Ray and pyarrow
_PREFIX = "part-"


class Parts:
    """One writer at a time. Not for threads."""

    def __init__(self, uri: str, format_: str, rows_of_part: int = 500):
        self._filesystem, self._folder = filesystem_of(uri)
        self._uri, self._format, self._rows_of_part = uri, format_, rows_of_part
        self._run = uuid.uuid4().hex[:8]
        self._written = 0
        self._rows: List[pa.Table] = []
        self.done: Dict[str, str] = {}  # the status of each id
        self.digests: Dict[str, str] = {}  # model_sha256 and options_sha256 of all that is there

    def begin(self, job: Dict[str, Any], resume: bool, retry_failed: bool) -> None:
        """Reads what is there. Refuses results of another job, and any where nothing is resumed."""
        parts = self._parts()
        before = self._job()
        if not resume and (parts or before is not None):
            raise UsageError(f"{self._uri}: expected a folder without results, or --resume, found {len(parts)} parts",
                             option="OUT")
        if before is None and parts:
            raise UsageError(f"{self._uri}: expected {_JOB} beside {len(parts)} parts, found none", option="OUT")
        if before is not None:
            _refuse_other_job(before, job, self._uri)
        self._refuse_other_writer()
        if before is None:
            self._write(_JOB, json.dumps(job, indent=1).encode() + b"\n")
        for part in parts:
            self._look_at(part, retry_failed)

    def add(self, table: pa.Table) -> None:
        """Rows whose ids are there already are left out: a task that Ray did twice."""
        ids = [str(found) for found in table["id"].to_pylist()]
        new = [row for row, found in enumerate(ids) if found not in self.done]
        statuses = table["status"].to_pylist()
        for row in new:
            self.done[ids[row]] = statuses[row]
        for name in ("model_sha256", "options_sha256"):
            for digest in table[name].unique().to_pylist():
                self._refuse_other_digest(name, digest)
        self._rows.append(table.take(new))
        if sum(rows.num_rows for rows in self._rows) >= self._rows_of_part:
            self.flush()

    def flush(self) -> None:
        rows = pa.concat_tables(self._rows) if self._rows else None
        if rows is not None and rows.num_rows:
            self._written += 1
            self._write(f"{_PREFIX}{self._run}-{self._written:06}.{self._format}", self._bytes_of(rows))
        self._rows = []

    def _refuse_other_writer(self) -> None:
        """On disks; of S3 nobody can say."""
        from pyarrow import fs

        if isinstance(self._filesystem, fs.LocalFileSystem):
            os.makedirs(self._folder, exist_ok=True)
            self._lock = open(f"{self._folder}/_lock", "w")
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UsageError(f"{self._uri}: expected no other job that writes there, found one",
                                 option="OUT") from error

    def _refuse_other_digest(self, name: str, digest: Optional[str]) -> None:
        known = self.digests.setdefault(name, digest) if digest is not None else None
        if known is not None and known != digest:
            what = "the model" if name == "model_sha256" else "the program or options"
            raise UsageError(f"{self._uri}: expected results of {what} with {name} {known}, found {digest}",
                             option="OUT")

    def _parts(self) -> List[str]:
        from pyarrow import fs

        selector = fs.FileSelector(self._folder, allow_not_found=True)
        names = [os.path.basename(info.path) for info in self._filesystem.get_file_info(selector)]
        parts = sorted(name for name in names if name.startswith(_PREFIX))
        other = [name for name in parts if not name.endswith("." + self._format)]
        if other:
            raise UsageError(f"{self._uri}: expected parts in {self._format}, found {other[0]}", option="OUT")
        return parts

    def _job(self) -> Optional[Dict[str, Any]]:
        try:
            with self._filesystem.open_input_file(f"{self._folder}/{_JOB}") as file:
                return json.loads(file.read())
        except FileNotFoundError:
            return None

    def _look_at(self, part: str, retry_failed: bool) -> None:
        table = self.read(part)
        statuses = table["status"].to_pylist()
        if retry_failed and "failed" in statuses:
            kept = [row for row, status in enumerate(statuses) if status != "failed"]
            if not kept:
                self._filesystem.delete_file(f"{self._folder}/{part}")
                return
            table = table.take(kept)
            self._write(part, self._bytes_of(table))
        twice = self.done.keys() & set(map(str, table["id"].to_pylist()))
        if twice:
            raise UsageError(f"{self._uri}: expected each id once, found {sorted(twice)[0]} twice", option="OUT")
        self.done.update(zip(map(str, table["id"].to_pylist()), table["status"].to_pylist()))
        for name in ("model_sha256", "options_sha256"):
            for digest in table[name].unique().to_pylist():
                self._refuse_other_digest(name, digest)

    def read(self, part: str) -> pa.Table:
        with self._filesystem.open_input_file(f"{self._folder}/{part}") as file:
            if self._format == "parquet":
                import pyarrow.parquet as pq

                return pq.read_table(file)
            lines = file.read().decode().split("\n")[:-1]
        rows = [json.loads(line) for line in lines]
        columns = {name: pa.array([row.get(name) for row in rows], pa.string())
                   for name in ("status", "model_sha256", "options_sha256")}
        ids = pa.array([str(row["id"]) for row in rows], pa.string())
        return pa.table({"id": ids, **columns, "_whole": pa.array(lines, pa.string())})

    def _bytes_of(self, rows: pa.Table) -> bytes:
        if "_whole" in rows.column_names:
            return "".join(line + "\n" for line in rows["_whole"].to_pylist()).encode()
        if self._format == "jsonl":
            return "".join(_json_line(row) + "\n" for row in rows.to_pylist()).encode()
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(rows, sink)
        return sink.getvalue().to_pybytes()

    def _write(self, name: str, content: bytes) -> None:
        """An object of S3 is there when it is closed; a file is renamed."""
        from pyarrow import fs

        path = f"{self._folder}/{name}"
        if not isinstance(self._filesystem, fs.LocalFileSystem):
            with self._filesystem.open_output_stream(path) as stream:
                stream.write(content)
            return
        unfinished = f"{self._folder}/_{name}.{self._run}"
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)


def _refuse_other_job(before: Dict[str, Any], job: Dict[str, Any], uri: str) -> None:
    names: Set[str] = before.keys() | job.keys()
    for name in sorted(names):
        if before.get(name) != job.get(name):
            raise UsageError(f"{uri}: {name}: expected {before.get(name)!r}, with which its results were made, "
                             f"found {job.get(name)!r}", option=name)


def _json_line(row: Dict[str, Any]) -> str:
    """A row that came as JSON keeps every digit of what it said."""
    line = row.pop("_line", None)
    added = {name: row[name] for name in SCHEMA.names if row[name] is not None}
    if line is None:
        return json.dumps({**{name: row[name] for name in row if name not in SCHEMA.names}, **added},
                          ensure_ascii=False, default=str)
    came = json.loads(line)
    if "id" not in came or came["id"] is None:
        added = {"id": row["id"], **added}
    if came.keys() & {*SCHEMA.names, *added}:
        return json.dumps({**{name: came[name] for name in came if name not in SCHEMA.names}, **added},
                          ensure_ascii=False)
    head = line.rstrip()[:-1].rstrip()
    return head + (", " if came else "") + json.dumps(added, ensure_ascii=False)[1:]
