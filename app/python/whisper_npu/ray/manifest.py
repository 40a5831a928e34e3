"""Manifests as JSON lines or Parquet -> tables with work columns (rows.py)."""

import json
import os
from typing import Any, Dict, List, Optional, Tuple

import pyarrow as pa

from whisper_npu.errors import AudioNotFoundError, UsageError
from whisper_npu.ray.fetch import filesystem_of
from whisper_npu.ray.rows import fault_of
from whisper_npu.ray.work_table import TOLD, with_looked_at, with_work_columns

FORMATS = {".jsonl": "jsonl", ".json": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def format_of(path: str) -> Optional[str]:
    name = path.rstrip("/").lower()
    return next((found for suffix, found in FORMATS.items() if name.endswith(suffix)), None)


def folder_of(uri: str) -> str:
    """Of a file or URI: below it are its relative paths."""
    return uri.rsplit("/", 1)[0] if "://" in uri else os.path.dirname(os.path.abspath(uri))


def read_manifest(uri: str, into: str) -> pa.Table:
    """A file's rows. JSON lines that become JSON lines again are kept as they are, in `_line`."""
    found = format_of(uri)
    if found is None:
        raise UsageError(f"{uri}: expected a name that ends with {', '.join(FORMATS)}, found another", option="IN")
    filesystem, path = filesystem_of(uri)
    try:
        with filesystem.open_input_file(path) as file:
            if found == "parquet":
                return _of_parquet(file, uri)
            lines = file.read().decode("utf-8-sig", errors="replace").split("\n")
    except FileNotFoundError as error:
        raise AudioNotFoundError(f"{uri}: expected a manifest, found no such file", path=uri) from error
    rows = [_row_of(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    return _of_lines(rows, folder_of(uri)) if into == "jsonl" else _of_columns(rows, folder_of(uri), uri)


def _of_parquet(file: Any, uri: str) -> pa.Table:
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file)
    except pa.ArrowInvalid as error:
        raise UsageError(f"{uri}: expected Parquet, found {error}", option="IN") from error
    return with_work_columns(table, folder_of(uri))


Row = Tuple[str, Dict[str, Any], Optional[str]]  # the line, its columns, what is wrong with it


def _row_of(line: str, number: int) -> Row:
    text = line.strip()
    try:
        row = json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        fault = f"line {number}: expected a JSON object on a line, found {text[:80]!r}"
        return "{}", {"id": f"line-{number}"}, fault
    return text, row, fault_of(row)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _of_lines(rows: List[Row], folder: str) -> pa.Table:
    types = {"offset": pa.float64(), "duration": pa.float64(), "lang": pa.string()}
    columns = {name: pa.array([None if fault else row.get(name) for _, row, fault in rows], types[name])
               for name in TOLD}
    columns["_line"] = pa.array([line for line, _, _ in rows], pa.string())
    return with_looked_at(pa.table(columns), [row for _, row, _ in rows], [fault for _, _, fault in rows], folder)


def _of_columns(rows: List[Row], folder: str, uri: str) -> pa.Table:
    """Of a row with a fault no column is taken: it may have any type."""
    columns = {}
    for name in dict.fromkeys(["audio_filepath", *(name for _, row, fault in rows if not fault for name in row)]):
        try:
            columns[name] = pa.array([None if fault else row.get(name) for _, row, fault in rows])
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise UsageError(f"{uri}: column {name}: expected one type, which Parquet needs, found {error}",
                             option="IN") from error
    return with_looked_at(pa.table(columns), [row for _, row, _ in rows], [fault for _, _, fault in rows], folder)
