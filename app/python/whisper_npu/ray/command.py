"""The command `python -m whisper_npu.ray`."""

import argparse
import contextlib
import os
import signal
import sys
import time
from typing import Any, Dict, List, Optional

from whisper_npu.errors import Error, UsageError
from whisper_npu.ray.manifest import format_of, read_manifest
from whisper_npu.ray.parts import Parts
from whisper_npu.worker_settings import WorkerSettings

_REPORT_SECONDS = 30.0


class _Stopped(BaseException):
    def __init__(self, number: int):
        self.number = number


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m whisper_npu.ray", description="Transcribes the recordings of a manifest on a Ray cluster.",
        epilog="Exit codes: 0 all rows ok, 1 some failed, 2 what was asked for makes no sense, 3 no such model, 7 the "
               "cluster has too few CPUs, 128 and the signal's number where one ended it.")
    parser.add_argument("manifest", metavar="IN", help="JSON lines or Parquet with NeMo's columns; a path or URI")
    parser.add_argument("out", metavar="OUT", help="a folder for the results' parts; a path or URI")
    parser.add_argument("--model", required=True, help="a name or path that the program finds on every node")
    parser.add_argument("--resume", action="store_true", help="go on: leave out rows that have results in OUT")
    parser.add_argument("--retry-failed", action="store_true", help="with --resume: do those again that failed")
    parser.add_argument("--format", choices=["jsonl", "parquet"], help="of the results; default: IN's")
    parser.add_argument("--threads", type=int, default=2, help="CPUs of an actor (default: %(default)s)")
    parser.add_argument("--actors", type=int, help="default: as many as there is room for, with a CPU left")
    parser.add_argument("--batch-seconds", type=float, default=240.0, help="audio that an actor works on together")
    parser.add_argument("--batch-size", type=int, default=8, help="rows that an actor works on together")
    parser.add_argument("--max-attempts", type=int, default=2, help="of a row that ends its process, or hangs")
    parser.add_argument("--language", help="a code; default: each row's `lang`, or detected")
    parser.add_argument("--word-timestamps", action="store_true")
    parser.add_argument("--cut-seconds", type=float, default=600.0, help="longer rows are cut in silences; 0: none")
    parser.add_argument("--fetch-ahead", type=int, default=4, help="rows whose audio is fetched besides those at work")
    parser.add_argument("--row-timeout", type=float, default=300.0,
                        help="a row hangs after so many seconds and --row-timeout-factor for a second of its audio")
    parser.add_argument("--row-timeout-factor", type=float, default=20.0)
    parser.add_argument("--flush-seconds", type=float, default=10.0,
                        help="results are written that often; where this process is killed, so much is lost")
    parser.add_argument("--program", help="whisper-npu's path on every node")
    parser.add_argument("--address", help="of a Ray cluster; default: RAY_ADDRESS, else one of this machine alone")
    parser.add_argument("--option", action="append", default=[], metavar="WORD", dest="options",
                        help="one more word for `whisper-npu worker`; again for more: --option=--beam-size --option=1")
    return parser


def main(words: Optional[List[str]] = None) -> int:
    asked = arguments().parse_args(words)
    _listen_to_signals()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # where Ray writes its messages
            return _transcribe(asked)
    except Error as error:
        print(f"whisper_npu.ray: {error}", file=sys.stderr)
        return error.code
    except _Stopped as stopped:
        return 128 + stopped.number
    except OSError as error:
        print(f"whisper_npu.ray: {error}", file=sys.stderr)
        return 70


def _listen_to_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)


def _stop(number: int, _frame: Any) -> None:
    raise _Stopped(number)


def _transcribe(asked: argparse.Namespace) -> int:
    if asked.retry_failed and not asked.resume:
        raise UsageError("--retry-failed: expected --resume beside it, found none", option="--retry-failed")
    settings = WorkerSettings(asked.model, asked.threads, asked.batch_seconds, asked.batch_size, asked.max_attempts,
                              asked.language, asked.word_timestamps, tuple(asked.options), asked.program,
                              asked.row_timeout, asked.row_timeout_factor)
    format_ = asked.format or format_of(asked.manifest) or "jsonl"
    manifest = read_manifest(asked.manifest, format_)
    parts = Parts(asked.out, format_)
    parts.begin({**settings.text_options(), "cut_seconds": asked.cut_seconds}, asked.resume, asked.retry_failed)
    left = [row for row, found in enumerate(manifest["_id"].to_pylist()) if found not in parts.done]
    before = manifest.num_rows - len(left)
    begin = time.monotonic()
    if left:
        _run(manifest.take(left), settings, asked, parts)
    return _summary(parts.done, manifest["_id"].to_pylist(), before, time.monotonic() - begin)


def _run(manifest: Any, settings: WorkerSettings, asked: argparse.Namespace, parts: Parts) -> None:
    from whisper_npu.ray.dataset import ray_data, transcribe_table

    data = ray_data()
    import ray

    _start_ray(ray, data, asked.address)
    _listen_to_signals()  # Ray takes SIGTERM for itself
    progress = _Progress(parts, manifest.num_rows, asked.flush_seconds)
    try:
        done = transcribe_table(manifest, settings, asked.cut_seconds or None, asked.actors, asked.fetch_ahead)
        for table in done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            parts.add(table)
            progress.said(table)
    except ray.exceptions.RayError as error:
        raise _cause_of(error) from error
    finally:
        parts.flush()
        ray.shutdown()


def _start_ray(ray: Any, data: Any, address: Optional[str]) -> None:
    if not ray.is_initialized():
        given = address or os.environ.get("RAY_ADDRESS")
        here: Dict[str, Any] = {} if given else {"include_dashboard": False}
        ray.init(address=given or "local", log_to_driver=True, logging_level="warning", **here)
    context = data.DataContext.get_current()
    context.enable_progress_bars = False


def _cause_of(error: BaseException) -> Error:
    """What our code raised in an actor, or what Ray says in one line."""
    found: Optional[BaseException] = error
    while found is not None:
        if isinstance(found, Error):
            return found
        found = getattr(found, "cause", None) or found.__cause__
    return Error(f"ray: {str(error).strip().splitlines()[-1]}")


class _Progress:
    def __init__(self, parts: Parts, rows: int, flush_seconds: float):
        self._parts, self._rows, self._flush_seconds = parts, rows, flush_seconds
        self._done = self._failed = 0
        self._flushed = 0.0  # the first results are written at once
        self._reported = time.monotonic()

    def said(self, table: Any) -> None:
        self._done += table.num_rows
        self._failed += table["status"].to_pylist().count("failed")
        now = time.monotonic()
        if now - self._flushed >= self._flush_seconds:
            self._parts.flush()
            self._flushed = now
        if now - self._reported >= _REPORT_SECONDS:
            print(f"whisper_npu.ray: {self._done} of {self._rows} rows, {self._failed} failed", file=sys.stderr)
            self._reported = now


def _summary(done: Dict[str, str], ids: List[str], before: int, seconds: float) -> int:
    missing = [found for found in ids if found not in done]
    failed = [found for found in ids if done.get(found) == "failed"]
    print(f"whisper_npu.ray: {len(ids)} rows, {before} done before, {len(failed)} failed, {seconds:.1f} s",
          file=sys.stderr)
    if missing:
        raise Error(f"expected a result for each row, found none for {len(missing)}, {missing[0]} the first")
    return 1 if failed else 0
