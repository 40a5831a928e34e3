"""The program `whisper-npu worker` as a child: rows in, answers out, whatever a row does to it.

A row that kills the child is tried again alone and answered `failed` after `max_attempts`; so is one at
which the child hangs. An error of the child that is no row's (no such model, an option that it does not
know) is raised for all rows.
"""

import collections
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from whisper_npu.errors import Error, from_engine
from whisper_npu.worker_settings import WorkerSettings

# Starts the program so that the kernel ends it where its parent ends, however that ends.
_LAUNCHER = """
import ctypes, os, signal, sys
parent = int(sys.argv[1])
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() != parent:
    sys.exit(143)
os.execv(sys.argv[2], sys.argv[2:])
"""
_UNKNOWN_SECONDS = 600.0  # taken for a row whose duration nobody knows
_FUTILE_STARTS = 8  # in a row, without an answer: it is not the rows
_STDERR_LINES = 20  # kept for messages
Row = Dict[str, Any]


class _Work:
    def __init__(self, number: int, row: Row, seconds: Optional[float]):
        self.number = str(number)
        self.line = json.dumps({**row, "id": self.number}).encode() + b"\n"
        self.seconds = _UNKNOWN_SECONDS if seconds is None else seconds
        self.future: "Future[Row]" = Future()
        self.ended = 0  # times that the child ended with it


class _Child:
    """One start of the program, with threads that read what it says."""

    def __init__(self, command: List[str], said: Callable[[Tuple], None]):
        self.process = subprocess.Popen([sys.executable, "-ISc", _LAUNCHER, str(os.getpid()), *command],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.answers = 0
        self.timed_out = False
        self.stderr: Deque[str] = collections.deque(maxlen=_STDERR_LINES)
        self._said = said
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            try:
                answer = json.loads(line)
            except ValueError:
                answer = None  # it was killed in the middle of a line
            if isinstance(answer, dict):
                self._said(("answer", self, answer))
        self.process.wait()
        self._listener.join()
        self._said(("end", self))

    def _listen(self) -> None:
        for line in self.process.stderr:
            text = line.decode(errors="replace")
            self.stderr.append(text)
            sys.stderr.write(text)

    def send(self, line: bytes) -> None:
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except OSError:
            pass  # its end is on its way

    def end(self) -> None:
        """At most 4 s."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        for stop in (self.process.terminate, self.process.kill):
            try:
                self.process.wait(timeout=2)
                return
            except subprocess.TimeoutExpired:
                stop()
        self.process.wait()


class Worker:
    """Any number of threads may submit rows. What it does is done by a thread of its own."""

    def __init__(self, settings: WorkerSettings):
        self._settings = settings
        self._command = settings.command()
        self._events: "queue.SimpleQueue[Tuple]" = queue.SimpleQueue()
        self._waiting: Deque[_Work] = collections.deque()
        self._suspects: Deque[_Work] = collections.deque()  # to be tried alone
        self._at_work: Dict[str, _Work] = {}
        self._child: Optional[_Child] = None
        self._numbers = 0
        self._futile_starts = 0
        self._has_answered = False  # any child
        self._deadline: Optional[float] = None
        self._failure: Optional[Exception] = None
        self._has_ended = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def submit(self, row: Row, seconds: Optional[float] = None) -> "Future[Row]":
        """The answer to a row, which says `audio_filepath` and may say `offset`, `duration` and `lang`."""
        with self._lock:
            if self._has_ended:
                raise self._failure or Error("the worker was closed")
            self._numbers += 1
            work = _Work(self._numbers, row, seconds)
            self._events.put(("row", work))
        return work.future

    def pid(self) -> Optional[int]:
        child = self._child
        return child.process.pid if child else None

    def close(self) -> None:
        self._events.put(("close",))
        self._thread.join()

    def _keep(self) -> None:
        """Whatever happens, each row has an answer or an error: nobody waits for ever."""
        try:
            self._work()
            self._failure = Error("the worker was closed")
        except Exception as error:
            self._failure = Error(f"whisper_npu.worker: expected to go on, found {type(error).__name__}: {error}")
        with self._lock:
            self._has_ended = True
        if self._child is not None:
            self._child.end()
        while not self._events.empty():
            kind, *what = self._events.get()
            if kind == "row":
                self._waiting.append(what[0])
        self._waiting.extend(self._at_work.values())
        self._fail_all()

    def _work(self) -> None:
        while True:
            wait = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
            try:
                kind, *what = self._events.get(timeout=wait)
            except queue.Empty:
                self._child.timed_out = True
                self._child.process.kill()
                self._deadline = None
                continue
            if kind == "close":
                return
            if kind == "row":
                self._waiting.append(what[0])
            elif kind == "answer":
                self._take(*what)
            elif kind == "end" and what[0] is self._child:
                self._ended(what[0])
            self._send()

    def _take(self, child: _Child, answer: Row) -> None:
        number = str(answer.pop("id", None))
        work = self._at_work.get(number)
        if child is not self._child or work is None:
            return
        child.answers += 1
        self._has_answered = True
        answer["attempts"] = int(answer.get("attempts") or 1) + work.ended
        del self._at_work[number]
        self._set_deadline()
        work.future.set_result(answer)

    def _set_deadline(self) -> None:
        self._deadline = None
        if self._at_work and not self._child.timed_out:
            audio = sum(work.seconds for work in self._at_work.values())
            settings = self._settings
            start = 0.0 if self._child.answers else settings.start_timeout
            row = settings.row_timeout + settings.row_timeout_factor * audio
            self._deadline = time.monotonic() + start + 2 * row

    def _send(self) -> None:
        if self._failure is not None:
            return self._fail_all()
        while True:
            rows = self._suspects or self._waiting
            if not rows or not self._has_place(rows[0]):
                return
            if self._child is None:
                try:
                    self._child = _Child(self._command, self._events.put)
                except OSError as error:
                    self._failure = Error(f"{self._command[0]}: expected a child process, found {error}")
                    return self._fail_all()
            work = rows.popleft()
            self._at_work[work.number] = work
            self._child.send(work.line)
            self._set_deadline()

    def _has_place(self, work: _Work) -> bool:
        """Suspects are alone. Else the child has what it works on together, and as much again to go on with."""
        if not self._at_work:
            return True
        if self._suspects or any(other.ended for other in self._at_work.values()):
            return False
        audio = work.seconds + sum(other.seconds for other in self._at_work.values())
        return len(self._at_work) < 2 * self._settings.batch_size and audio <= 2 * self._settings.batch_seconds

    def _ended(self, child: _Child) -> None:
        left = list(self._at_work.values())
        self._at_work.clear()
        self._child = None
        self._deadline = None
        status = child.process.returncode
        self._futile_starts = 0 if child.answers else self._futile_starts + 1
        # What the first child says of itself before any answer is not of a row; 128 and more: a signal.
        if (0 < status < 128 and not self._has_answered) or self._futile_starts >= _FUTILE_STARTS:
            self._failure = _failure_of(child, status)
            self._suspects.extend(left)
            return
        for work in left:
            work.ended += 1
            if len(left) == 1 and work.ended >= self._settings.max_attempts:
                work.future.set_result(_crashed(child, status, work.ended))
            else:
                self._suspects.append(work)

    def _fail_all(self) -> None:
        for works in (self._suspects, self._waiting):
            while works:
                works.popleft().future.set_exception(self._failure)


def _crashed(child: _Child, status: int, ended: int) -> Row:
    if child.timed_out:
        code, how = "timeout", "its process gave no answer in the time that a row has and was killed"
    elif status < 0:
        code = "crashed"
        how = f"its process was killed by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    else:
        code, how = "crashed", f"its process ended with exit code {status}"
    error = {"code": code, "exit_code": 70, "message": f"{how}, at attempt {ended}"}
    return {"status": "failed", "error": error, "attempts": ended}


def _failure_of(child: _Child, status: int) -> Exception:
    said = "".join(child.stderr).strip()
    if status > 0 and said:
        return from_engine(status, said.splitlines()[-1], "")
    how = f"signal {-status}" if status < 0 else f"exit code {status}"
    return Error(f"whisper-npu worker: expected answers, found that it ended with {how}" + (said and f": {said}"))
