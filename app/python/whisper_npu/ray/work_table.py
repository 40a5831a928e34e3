"""A manifest as a table with work columns, which begin with `_` and are not in results.

`_id` is the id as a text, `_audio` an absolute path or URI, `_seconds` how much audio it is (null: nobody knows),
`_fault` what is wrong with a row (null: nothing), `_line` a row of JSON as it came.
"""

from typing import Any, Dict, List, Optional, Sequence

import pyarrow as pa

from whisper_npu.errors import UsageError
from whisper_npu.ray.helper import Helper
from whisper_npu.ray.rows import absolute, fault_of, id_of, refuse_duplicates

WORK_COLUMNS = ("_id", "_audio", "_seconds", "_fault", "_line")
# What the worker is told of a row, beside the audio.
TOLD = ("offset", "duration", "lang")
_PROBE_SECONDS = 60.0


def with_work_columns(table: pa.Table, folder: str) -> pa.Table:
    """A manifest as a table, with work columns, and `id` in every row; relative paths are below `folder`."""
    for name in table.column_names:
        if name in WORK_COLUMNS:
            raise UsageError(f"{name}: expected no column of this name, found one", option=name)
    if "audio_filepath" not in table.column_names and table.num_rows:
        raise UsageError(f"audio_filepath: expected a column of paths or URIs, found {table.column_names}",
                         option="audio_filepath")
    names = [name for name in ("audio_filepath", *TOLD, "text", "id") if name in table.column_names]
    rows = table.select(names).to_pylist()
    return with_looked_at(table, rows, [fault_of(row) for row in rows], folder)


def with_looked_at(table: pa.Table, rows: Sequence[Dict[str, Any]], faults: List[Optional[str]],
                   folder: str) -> pa.Table:
    """The same of rows that were looked at."""
    ids = [id_of(row, position) for position, row in enumerate(rows, 1)]
    refuse_duplicates(ids)
    if "id" not in table.column_names or table["id"].null_count:
        if "id" in table.column_names:
            table = table.drop_columns(["id"])
        table = table.append_column("id", pa.array(ids, pa.string()))
    audio = [absolute(row["audio_filepath"], folder) if fault is None else None for row, fault in zip(rows, faults)]
    seconds = [row.get("duration") if fault is None else 0.0 for row, fault in zip(rows, faults)]
    return (table.append_column("_id", pa.array(ids, pa.string()))
            .append_column("_audio", pa.array(audio, pa.string()))
            .append_column("_seconds", pa.array(seconds, pa.float64()))
            .append_column("_fault", pa.array(faults, pa.string())))


def with_seconds(table: pa.Table) -> pa.Table:
    """`_seconds` of the rows that have none, where their files say it."""
    helper = Helper()
    names = [name for name in ("_audio", "offset", "_seconds", "_fault") if name in table.column_names]
    found = []
    for row in table.select(names).to_pylist():
        seconds = row["_seconds"]
        if seconds is None and row["_fault"] is None:
            answer = helper.ask("probe", _PROBE_SECONDS, audio=row["_audio"], offset=row.get("offset") or 0.0)
            seconds = answer["seconds"] if answer else None
        found.append(seconds)
    helper.close()
    return table.set_column(table.column_names.index("_seconds"), "_seconds", pa.array(found, pa.float64()))
