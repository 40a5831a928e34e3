"""Where the command line program `whisper-npu` is, and the console script that becomes it."""

import os
import shutil
import sys
from typing import List, Optional

from whisper_npu.errors import LibraryError, UsageError

NAME = "whisper-npu"
VARIABLE = "WHISPER_NPU_PROGRAM"
INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", NAME)


def find_program(given: Optional[str] = None) -> str:
    """Its path: what is given, else the wheel's own, else what the variable WHISPER_NPU_PROGRAM names, else PATH's."""
    if given:
        return _checked(given, "program")
    if os.access(INSIDE, os.X_OK):
        return INSIDE
    if os.environ.get(VARIABLE):
        return _checked(os.environ[VARIABLE], VARIABLE)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = shutil.which(NAME, path=folder) if folder else None
        if path and not _is_script(path):
            return path
    raise LibraryError(f"{NAME}: expected the program in {INSIDE}, in ${VARIABLE} or on PATH, found none")


def _checked(path: str, option: str) -> str:
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise UsageError(f"{option}: expected a program, found {path!r}", option=option)
    return os.path.abspath(path)


def _is_script(path: str) -> bool:
    """The console script of this package is called the same, and would find itself."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def main(arguments: Optional[List[str]] = None) -> None:
    """The console script."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        program = find_program()
    except (LibraryError, UsageError) as error:
        print(error, file=sys.stderr)
        sys.exit(error.code)
    os.execv(program, [program, *words])
