"""Runs a case in a folder of its own, and what it left there."""
import dataclasses
import hashlib
import os
import re
import resource
import shutil
import subprocess
import threading

# Times, the threads that each device of several had, and memory, of which each thread takes some.
TIMES = re.compile(rb'"timing":\s*\{[^}]*\}|"(?:window_s|threads|memory_estimate)":\s*[0-9.e+-]+')


@dataclasses.dataclass
class Setup:
    program: str
    models: str      # a folder
    cache: str       # XDG_CACHE_HOME
    timeout: float   # s
    memory: int      # KB that a run may take


@dataclasses.dataclass
class Run:
    code: int        # as a shell shows it
    out: bytes
    err: bytes
    memory: int      # KB
    is_hang: bool
    before: dict     # path -> what was there: ("file", hash), ("folder",), ("link", target)
    after: dict
    folder: str


def prepare(case, folder):
    """Writes the case's files."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, content in case.files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if content is None:
            os.makedirs(path, exist_ok=True)
        elif isinstance(content, str):
            os.symlink(content, path)
        else:
            with open(path, "wb") as file:
                file.write(content)


def snapshot(folder):
    there = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            key = os.path.relpath(path, folder)
            if os.path.islink(path):
                there[key] = ("link", os.readlink(path))
            elif os.path.isdir(path):
                there[key] = ("folder",)
            else:
                with open(path, "rb") as file:
                    there[key] = ("file", hashlib.blake2b(file.read()).hexdigest())
    return there


def arguments(case, setup, threads=0):
    words = [word.replace("{models}", setup.models) for word in case.words()]
    if not threads:
        return words
    kept = dataclasses.replace(case, atoms=[a for a in case.atoms if a.name != "--threads"])
    words = arguments(kept, setup)
    return words[:1] + ["--threads", str(threads)] + words[1:]


def open_stdout(case, path):
    if case.stdout == "full":
        return open("/dev/full", "wb")
    if case.stdout == "closed":
        reader, writer = os.pipe()
        os.close(reader)
        return os.fdopen(writer, "wb")
    return open(path, "wb")


def execute(case, setup, folder, threads=0, settings=None):
    """`settings`: (text of a configuration file, variables)."""
    prepare(case, folder)
    before = snapshot(folder)
    out, err, stdin = folder + ".out", folder + ".err", folder + ".in"
    with open(stdin, "wb") as file:
        file.write(case.stdin or b"")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WHISPER_NPU_")}
    environment |= {"XDG_CACHE_HOME": setup.cache, "OMP_NUM_THREADS": "1", "WHISPER_NPU_CONFIG": ""}
    if settings:
        text, variables = settings
        environment |= {name: value.replace("{models}", setup.models) for name, value in variables.items()}
        if text:
            environment["WHISPER_NPU_CONFIG"] = folder + ".toml"
            with open(folder + ".toml", "w", encoding="utf-8") as file:
                file.write(text.replace("{models}", setup.models))
    with open(stdin, "rb") as source, open_stdout(case, out) as sink, open(err, "wb") as messages:
        process = subprocess.Popen(
            [setup.program, *arguments(case, setup, threads)], cwd=folder, env=environment, stdin=source,
            stdout=sink, stderr=messages, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        hung = threading.Event()
        timer = threading.Timer(setup.timeout, lambda: (hung.set(), process.kill()))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
    with open(err, "rb") as file:
        messages = file.read()
    output = b""
    if case.stdout == "file":
        with open(out, "rb") as file:
            output = file.read()
    return Run(code if code >= 0 else 128 - code, output, messages, usage.ru_maxrss, hung.is_set(), before,
               snapshot(folder), folder)


def results(run):
    """What a run wrote, times aside: for comparison with another run of the same."""
    found = {"stdout": TIMES.sub(b"", run.out)}
    for path, what in run.after.items():
        if what[0] == "file" and run.before.get(path) != what:
            with open(os.path.join(run.folder, path), "rb") as file:
                found[path] = TIMES.sub(b"", file.read())
    return found
