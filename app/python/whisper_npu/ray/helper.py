"""A child that looks into recordings: a file that kills FFmpeg kills it, and not the actor, whose rows Ray would
begin anew for ever.

    python -m whisper_npu.ray.helper    requests on stdin and answers on stdout, a JSON object a line
"""

import json
import os
import queue
import subprocess
import sys
import threading
from typing import Any, Dict, Optional

Answer = Dict[str, Any]
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # the package is below it


class Helper:
    """One request at a time; threads wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: Optional[subprocess.Popen] = None

    def ask(self, what: str, timeout: float, **more: Any) -> Optional[Answer]:
        """None: it died of it, or took too long."""
        with self._lock:
            if self._child is None:
                paths = os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])
                self._child = subprocess.Popen([sys.executable, "-m", "whisper_npu.ray.helper"],
                                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                               env={**os.environ, "PYTHONPATH": paths})
            child = self._child
            timer = threading.Timer(timeout, child.kill)
            timer.start()
            try:
                child.stdin.write(json.dumps({"what": what, **more}).encode() + b"\n")
                child.stdin.flush()
                line = child.stdout.readline()
            except OSError:
                line = b""
            finally:
                timer.cancel()
            if line.endswith(b"\n"):
                return json.loads(line)
            self._end()
            return None

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()


def _probe(request: Answer) -> Answer:
    from whisper_npu.ray.probe import seconds_of_audio

    return {"seconds": seconds_of_audio(request["audio"], request["offset"])}


def _cut(request: Answer) -> Answer:
    from whisper_npu.errors import AudioError
    from whisper_npu.ray.cut import cut_file

    try:
        return cut_file(**{name: value for name, value in request.items() if name != "what"})
    except AudioError as error:
        return {"error": str(error)}


def _read(lines: "queue.SimpleQueue[str]") -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)  # whoever asked is gone: nobody wants what is still at work


def _main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    lines: "queue.SimpleQueue[str]" = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    while True:
        request = json.loads(lines.get())
        answer = _probe(request) if request["what"] == "probe" else _cut(request)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    _main()
