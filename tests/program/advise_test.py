"""advise_test.py PROGRAM WRITE_MODELS: bench --advise measures each candidate in a process of its own, marks one,
and says the same as JSON by bench.schema.json; what cannot run ends with the exit code of that."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

from patience import PATIENCE_S

try:
    import jsonschema
except ImportError:
    print("SKIP: python3-jsonschema is not installed")
    sys.exit(77)

PROGRAM, WRITE_MODELS = (os.path.abspath(each) for each in sys.argv[1:3])
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "bench/bench.schema.json"
work = tempfile.TemporaryDirectory(prefix="wnpu_advise.")
os.chdir(work.name)
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("WHISPER_NPU_")}
ENVIRONMENT |= {"XDG_CACHE_HOME": work.name + "/cache", "WHISPER_NPU_CONFIG": ""}
WORDS = ["--advise", "--runs", "1", "--device", "cpu", "--max-tokens", "4", "--language", "en",
         "--temperature-increment-on-fallback", "None"]


def bench(*words):
    done = subprocess.run([PROGRAM, "bench", *words], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=2 * PATIENCE_S, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def check(condition, text):
    if not condition:
        sys.exit(f"advise: {text}")


def figures_of(document, name):
    return {tuple(each["labels"].values()): each["value"] for each in document["figures"] if each["name"] == name}


subprocess.run([WRITE_MODELS, "cache/whisper-npu"], check=True)
samples = bytes(range(256)) * 250
pathlib.Path("tone.wav").write_bytes(
    struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", len(samples) + 36, b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16,
                b"data", len(samples)) + samples)

code, out, err = bench(*WORDS, "--json", "tone.wav")
check(code == 0, f"exit code {code}: {err}")
document = json.loads(out)
jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(document)
speeds, memory = figures_of(document, "speed"), figures_of(document, "peak memory")
differences = figures_of(document, "words that differ from fp32 with 5 beams")
threads = max(int(each[3]) for each in speeds)
grid = {(p, b, n, str(threads)) for p in ("fp32", "int16", "int8") for b in "51" for n in "18"}
check(grid <= set(speeds) == set(memory) == set(differences), f"expected all of {grid}, found {set(speeds)}")
check(all(each > 0 for each in speeds.values()), f"speeds: {speeds}")
check(differences[("fp32", "5", "1", str(threads))] == 0, "fp32 with 5 beams differs from itself")
advice = tuple(document["advice"].values())
check(advice in speeds, f"{advice} was not measured")
check(any("there is no reference text" in note for note in document["notes"]), f"notes: {document['notes']}")
# The peak is the candidate's own: those after the largest are not as large.
values = list(memory.values())
check(min(values[values.index(max(values)):]) < max(values), f"peaks of memory never fall: {values}")

code, out, err = bench(*WORDS, "tone.wav")
check(code == 0 and out.count("<- recommended") == 1, f"exit code {code}: {out}{err}")
check("recommended: --precision " in out and err.count("measuring ") >= len(grid), f"{out}{err}")

code, out, err = bench(*WORDS, "--model", "none", "tone.wav")
check(code == 3 and not out and "none: expected a model" in err, f"no model: exit code {code}: {out}{err}")
code, out, err = bench(*WORDS, "--rtf", "tone.wav")
check(code == 2 and "exclude each other" in err, f"two modes: exit code {code}: {err}")


def wait_for(what, text):
    end = time.monotonic() + PATIENCE_S
    while not (found := what()):
        check(time.monotonic() < end, text)
        time.sleep(0.05)
    return found


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# What measures ends with who would read it.
killed = subprocess.Popen([PROGRAM, "bench", *WORDS, "--runs", "1000", "tone.wav"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
children = pathlib.Path(f"/proc/{killed.pid}/task/{killed.pid}/children")
child = wait_for(lambda: children.read_text(encoding="utf-8").split(), "no child measures")[0]
killed.kill()
killed.wait()
wait_for(lambda: not is_running(child), "a child goes on measuring when bench is killed")
