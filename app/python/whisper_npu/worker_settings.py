"""How the program `whisper-npu worker` is started."""

from dataclasses import dataclass
from typing import List, Optional, Tuple

from whisper_npu.errors import UsageError
from whisper_npu.program import find_program

# Options of the worker that have an argument of their own here.
_OWN = ("--model", "--threads", "--batch-seconds", "--batch-size", "--max-attempts", "--order", "--language",
        "--row-timeout", "--row-timeout-factor", "--word-timestamps", "-m")


def refuse_unless(holds: bool, option: str, expected: str, found: object) -> None:
    if not holds:
        raise UsageError(f"{option}: expected {expected}, found {found!r}", option=option)


@dataclass(frozen=True)
class WorkerSettings:
    """Arguments of `whisper_npu.ray.transcribe` that the worker is told of."""

    model: str
    threads: int = 2
    batch_seconds: float = 240
    batch_size: int = 8
    max_attempts: int = 2
    language: Optional[str] = None
    word_timestamps: bool = False
    options: Tuple[str, ...] = ()  # more of the worker's, as on a command line
    program: Optional[str] = None
    # Rows at work hang where none is answered for longer than this, and so much for a second of their audio. The
    # program ends the process then that works on them; where it hangs itself, it is ended after as much again.
    row_timeout: float = 300
    row_timeout_factor: float = 20
    start_timeout: float = 600  # and this more until a child's first answer: a model is read

    def __post_init__(self) -> None:
        refuse_unless(isinstance(self.model, str) and self.model != "", "model", "a name or path", self.model)
        for name in ("threads", "batch_size", "max_attempts"):
            value = getattr(self, name)
            refuse_unless(isinstance(value, int) and value >= 1, name, "a number from 1", value)
        for name in ("batch_seconds", "row_timeout", "row_timeout_factor", "start_timeout"):
            value = getattr(self, name)
            refuse_unless(isinstance(value, (int, float)) and 0 < value < 1e8, name, "seconds above 0", value)
        refuse_unless(not isinstance(self.options, str), "options", "a list of words", self.options)
        for word in self.options:
            refuse_unless(word.split("=")[0] not in _OWN, "options", "what has no argument of its own here", word)

    def command(self) -> List[str]:
        words = [find_program(self.program), "worker", "--model", self.model, "--threads", str(self.threads),
                 "--batch-seconds", f"{self.batch_seconds:g}", "--batch-size", str(self.batch_size),
                 "--max-attempts", str(self.max_attempts), "--order", "done",
                 "--row-timeout", f"{self.row_timeout:g}", "--row-timeout-factor", f"{self.row_timeout_factor:g}"]
        if self.language:
            words += ["--language", self.language]
        if self.word_timestamps:
            words += ["--word-timestamps", "True"]
        return words + list(self.options)

    def text_options(self) -> dict:
        """What changes the text: a job is resumed only with the same."""
        return {"model": self.model, "language": self.language, "word_timestamps": self.word_timestamps,
                "options": list(self.options)}
