"""A Ray Dataset of recordings -> a Dataset with what is said in them."""

import os
from typing import Any, Optional, Sequence

import pyarrow as pa

from whisper_npu.errors import LibraryError, UsageError
from whisper_npu.ray.cluster import actors_for, node_cpus
from whisper_npu.ray.piece_memory import PieceMemory, RayMemory
from whisper_npu.ray.rows import longest_first, packed, task_size
from whisper_npu.ray.transcriber import Transcriber, with_answers
from whisper_npu.ray.work_table import with_seconds, with_work_columns
from whisper_npu.worker_settings import WorkerSettings, refuse_unless

_PROBED = 64  # rows of a task that looks how long they are
_AT_ONCE = 2  # tasks of an actor: the next one's audio is fetched while the child is at work


def ray_data() -> Any:
    try:
        import ray.data
    except ImportError as error:
        raise LibraryError("ray: expected Ray Data, found that it is not installed "
                           "(pip install whisper-npu[ray])") from error
    return ray.data


def transcribe(
    dataset: Any,
    *,
    model: str,
    threads: int = 2,
    batch_seconds: float = 240,
    max_attempts: int = 2,
    batch_size: int = 8,
    language: Optional[str] = None,
    word_timestamps: bool = False,
    options: Sequence[str] = (),
    cut_seconds: Optional[float] = 600,
    actors: Optional[int] = None,
    fetch_ahead: int = 4,
    program: Optional[str] = None,
    row_timeout: float = 300,
    row_timeout_factor: float = 20,
) -> Any:
    """A Dataset of the rows of `dataset` and what is said in them, in the order in which they are done.

    dataset: with NeMo's columns: `audio_filepath` (path or URI), and where there are `offset`, `duration`,
      `lang`, `id`; others pass through. It is read at once: ids must be unique, and the longest rows are
      begun first; rows without a `duration` are looked at for it.
    model: a name or path that the program finds on every node.
    threads: CPUs of an actor, which has one child process of the program.
    batch_seconds, batch_size: audio and rows that a child works on together.
    max_attempts: times that a row is begun that ends its process, or hangs; then it is `failed`.
    options: more words for `whisper-npu worker`, as on a command line: ["--beam-size", "1"].
    cut_seconds: longer rows are cut in silences and put together again; None: none are.
    actors: None: as many as the cluster has room for, with a CPU left.
    fetch_ahead: rows of an actor whose audio is fetched besides those at work.
    program: a path on every node; None: the wheel's own, $WHISPER_NPU_PROGRAM, or on PATH.
    row_timeout, row_timeout_factor: a row hangs after so many seconds, and so many for a second of its audio.
    """
    settings = WorkerSettings(model, threads, batch_seconds, batch_size, max_attempts, language, word_timestamps,
                              tuple(options), program, row_timeout, row_timeout_factor)
    data = ray_data()
    if not isinstance(dataset, data.Dataset):
        raise UsageError(f"dataset: expected a Ray Dataset, found {type(dataset).__name__}", option="dataset")
    import ray

    tables = [table for table in ray.get(dataset.to_arrow_refs()) if table.num_rows]
    whole = pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({"audio_filepath": []})
    return transcribe_table(with_work_columns(whole, os.getcwd()), settings, cut_seconds, actors, fetch_ahead)


def transcribe_table(manifest: pa.Table, settings: WorkerSettings, cut_seconds: Optional[float] = 600,
                     actors: Optional[int] = None, fetch_ahead: int = 4) -> Any:
    """The same of a manifest with work columns (rows.py)."""
    refuse_unless(cut_seconds is None or cut_seconds >= 1, "cut_seconds", "seconds from 1, or None", cut_seconds)
    refuse_unless(isinstance(fetch_ahead, int) and fetch_ahead >= 1, "fetch_ahead", "a number from 1", fetch_ahead)
    data = ray_data()
    n_actors = actors_for(node_cpus(), settings.threads, actors)
    manifest = _probed(manifest.combine_chunks(), data)
    seconds = manifest["_seconds"].to_pylist()
    audio, rows = task_size(seconds, n_actors, settings.batch_seconds, settings.batch_size)
    tasks = packed(seconds, longest_first(seconds), audio, rows)
    if not tasks:
        return data.from_arrow([with_answers(manifest, [])])
    compute = data.ActorPoolStrategy(size=min(n_actors, len(tasks)), max_tasks_in_flight_per_actor=_AT_ONCE,
                                     max_concurrent_calls_per_actor=_AT_ONCE, enable_true_multi_threading=True)
    is_cut = cut_seconds is not None and any(audio is None or audio > cut_seconds for audio in seconds)
    memory = RayMemory() if is_cut else PieceMemory()
    return data.from_arrow([manifest.take(task) for task in tasks]).map_batches(
        Transcriber, fn_constructor_args=(settings, cut_seconds, fetch_ahead, memory), batch_size=None,
        batch_format="pyarrow", compute=compute, num_cpus=settings.threads)


def _probed(manifest: pa.Table, data: Any) -> pa.Table:
    """With `_seconds` wherever a file says it."""
    import pyarrow.compute as pc

    if not pc.any(pc.and_(pc.is_null(manifest["_seconds"]), pc.is_null(manifest["_fault"]))).as_py():
        return manifest
    import ray

    parts = [manifest.slice(begin, _PROBED) for begin in range(0, manifest.num_rows, _PROBED)]
    probed = data.from_arrow(parts).map_batches(with_seconds, batch_size=None, batch_format="pyarrow")
    found = pa.concat_tables([table for table in ray.get(probed.to_arrow_refs()) if table.num_rows])
    seconds = dict(zip(found["_id"].to_pylist(), found["_seconds"].to_pylist()))
    column = pa.array([seconds[row] for row in manifest["_id"].to_pylist()], pa.float64())
    return manifest.set_column(manifest.column_names.index("_seconds"), "_seconds", column)
