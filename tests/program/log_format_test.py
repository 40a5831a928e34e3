"""log_format_test.py PROGRAM WRITE_NANO_MODEL: with --log-format json each line on stderr is a line of
app/formats/log.schema.json, of runs that fail, note and tell everything, that are stopped, and that no
command line can be made of; stdout and exit codes stay as they are."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

from patience import PATIENCE_S, patience

try:
    import jsonschema
except ImportError:
    print("SKIP: python3-jsonschema is not installed")
    sys.exit(77)

PROGRAM, NANO = (os.path.abspath(each) for each in sys.argv[1:3])
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "app/formats/log.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
WORDS = ["--model", "model", "--device", "cpu", "--max-tokens", "8", "--threads", "1",
         "--temperature-increment-on-fallback", "None"]
work = tempfile.TemporaryDirectory(prefix="wnpu_log.")
os.chdir(work.name)
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("WHISPER_NPU_")}
ENVIRONMENT |= {"XDG_CACHE_HOME": work.name + "/cache", "WHISPER_NPU_CONFIG": ""}


def wav(path, seconds):
    size = 32000 * seconds
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", size + 36, b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16,
                         b"data", size)
    pathlib.Path(path).write_bytes(header + bytes(range(250)) * (size // 250))


def run(words, stdin=b"", variables=None):
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, timeout=PATIENCE_S,
                          env={**ENVIRONMENT, **(variables or {})})
    return done.returncode, done.stdout, done.stderr


def lines_of(err):
    lines = [json.loads(line) for line in err.decode().splitlines()]
    for line in lines:
        VALIDATOR.validate(line)
    return lines


def messages(err):
    return [(each["level"], each.get("file"), each["message"]) for each in lines_of(err) if each["type"] == "message"]


def check(words, code, expected, same_out=True, **options):
    """Beside the messages that are `expected`, parts of theirs, stdout and code are those of text."""
    found, out, err = run(words, **options)
    assert found == code, f"{words}: expected exit code {code}, found {found}: {err}"
    told = messages(err)
    for level, file, part in expected:
        assert any(level == l and file == f and part in m for l, f, m in told), f"{words}: expected {part}: {told}"
    assert not any(m.startswith("whisper-npu:") for _, _, m in told), told
    if same_out:
        plain = run([each for each in words if each != "--log-format=json"], **options)
        assert plain[:2] == (found, out), f"{words}: another exit code or stdout than as text"
        assert len(plain[2].splitlines()) == len(told), f"{words}: text has {plain[2]}, JSON has {told}"
    return lines_of(err)


def stopped():
    """A long run that is stopped: progress a second apart at most, and what was finished is said."""
    child = subprocess.Popen([PROGRAM, *WORDS, "--beam-size", "8", "--log-format=json", "-o", "out", "long.wav"],
                             stderr=subprocess.PIPE, env=ENVIRONMENT)
    first = child.stderr.readline()  # the work has begun
    begin = time.monotonic()
    time.sleep(2.2)
    child.send_signal(signal.SIGTERM)
    lines = lines_of(first + child.communicate(timeout=patience(20))[1])
    seconds = time.monotonic() - begin
    assert child.returncode == 143, f"expected it to be stopped, found {child.returncode}"
    assert any("stopped" in line.get("message", "") for line in lines), lines
    progress = [each for each in lines if each["type"] == "progress"]
    assert len(progress) <= seconds + 3, f"expected a line a second: {progress}"
    assert {each["file"] for each in progress} == {"long.wav"}, progress


subprocess.run([NANO, "."], check=True)
for name in ("a.wav", "b ü.wav"):
    wav(name, 1)
wav("long.wav", 3600)
pathlib.Path("bad.wav").write_bytes(b"no audio")
log = "--log-format=json"
check([*WORDS, log, "a.wav"], 0, [])
check([*WORDS, log, "bad.wav"], 4, [("error", "bad.wav", "")])
check([*WORDS, log, "missing.wav"], 4, [("error", "missing.wav", "No such file")])
check([*WORDS, log, "a.wav", "bad.wav", "b ü.wav"], 1, [("error", "bad.wav", ""), ("error", None, "1 of 3 files failed")])
check([*WORDS, log, "--threads", "900", "a.wav"], 0, [("info", None, "this process may use")])
check(["--model", "nowhere", log, "a.wav"], 3, [("error", None, "nowhere")])
check([log, "--beem-size", "3", "a.wav"], 2, [("error", None, "did you mean --beam-size")])
check(["--beam-size", "x", "a.wav"], 2, [("error", None, "--beam-size")], same_out=False,
      variables={"WHISPER_NPU_LOG_FORMAT": "json"})
verbose = check([*WORDS, log, "--verbose", "-o", "results", "a.wav"], 0, [("debug", "a.wav", "of audio in"),
                                                                          ("debug", "a.wav", "wrote results/a.srt")],
                same_out=False)
assert verbose[0]["type"] == "message" or verbose[0]["total"] is None, verbose
last = [each for each in verbose if each["type"] == "progress"][-1]
assert last["unit"] == "s" and last["done"] == last["total"] > 0, last
check([*WORDS, log, "--skip-existing", "-o", "results", "a.wav"], 0, [("info", "a.wav", "skipped")])
assert not lines_of(run([*WORDS, log, "--quiet", "a.wav"])[2]), "--quiet: expected nothing"
pathlib.Path("config.toml").write_text('log-format = "json"\n[stream]\nlog-format = "json"\n', encoding="utf-8")
check([*WORDS, "--config", "config.toml", "bad.wav"], 4, [("error", "bad.wav", "")], same_out=False)
stream = ["stream", "--model", "model", "--stdin-format", "s16le:16000:1"]
check([*stream, log], 0, [("info", None, "by its loudness")], stdin=bytes(32000))
check([*stream, "--config", "config.toml"], 0, [("info", None, "by its loudness")], same_out=False, stdin=bytes(32000))
check(["models", "pull", log, "tinny"], 2, [("error", None, "did you mean tiny")])
check(["models", "pull", log, "--offline", "tiny"], 3, [("error", None, "whisper-npu models pull tiny")])
# A setting of transcribe is none of other commands.
code, _, err = run(["models", "info", "nowhere"], variables={"WHISPER_NPU_LOG_FORMAT": "json"})
assert code == 3 and err.startswith(b"whisper-npu: "), err
stopped()
print("log_format: every line by the schema")
