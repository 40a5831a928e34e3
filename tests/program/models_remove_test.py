"""models_remove_test.py WHISPER_NPU WRITE_NANO_MODEL: what is and what is no model in the models' folder, as
`models pull`, `remove`, `verify` and `list` see it. Nothing is fetched: the mirror's port is closed."""
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile

from lying_server import environment_without_proxies
from patience import PATIENCE_S
from process_checks import ProcessChecks

program, nano = (os.path.abspath(each) for each in sys.argv[1:3])
checks = ProcessChecks("models remove")
check, expect = checks.check, checks.expect
work = pathlib.Path(tempfile.mkdtemp(prefix="wnpu_remove."))
folder = work / "models"
SECRET = "http://user:secret@127.0.0.1:9"
HERE = ["--model-dir", str(folder)]


def run(*words):
    environment = environment_without_proxies(XDG_CACHE_HOME=str(work / "cache"), WNPU_HUB_TIMES="1:1:1",
                                              WHISPER_NPU_HUB=SECRET)
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=PATIENCE_S, env=environment,
                          stdin=subprocess.DEVNULL, check=False)


def clean():
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


def no_model_yet():
    """A folder without a model is not taken for one; an empty one stands in nobody's way."""
    clean()
    (folder / "base").mkdir()
    for _ in range(2):
        expect(run("models", "pull", "base", *HERE), 3, "127.0.0.1:9/")
    expect(run("transcribe", "--model", "base", "--yes", *HERE, str(work / "tone.wav")), 3, "127.0.0.1:9/")
    (folder / "base/config.json").write_text("{}")
    expect(run("models", "pull", "base", *HERE), 6, "base: expected a model or an empty folder, found other files")
    shutil.copytree(work / "model", folder / "base", dirs_exist_ok=True)
    expect(run("models", "pull", "base", *HERE), 0, f"{folder}/base\n")
    expect(run("models", "pull", "base", "--format", "ctranslate2", *HERE), 0, f"{folder}/base\n")
    expect(run("models", "pull", "base", "--format", "ggml", *HERE), 3, "expected ggml, found ctranslate2.*models remove")


def secrets():
    clean()
    done = run("models", "pull", "base", *HERE)
    expect(done, 3, r"by http://127\.0\.0\.1:9")
    check("secret" not in done.stdout + done.stderr, "a mirror's password is shown", done)
    for path in folder.rglob("*"):
        check(not path.is_file() or b"secret" not in path.read_bytes(), f"{path}: has a mirror's password")
    done = run("models", "pull", "base", "--source", "ftp://user:secret@host", *HERE)
    expect(done, 2, "expected a URL with http")
    check("secret" not in done.stderr, "a mirror's password is shown", done)


def files_that_are_no_models():
    clean()
    for name in ("talk.wav", "models.lock", "notes.txt"):
        (folder / name).write_bytes(b"RIFF")
        expect(run("models", "remove", name, *HERE), 3, f"{name}: expected a model, found other files: not removed")
        check((folder / name).exists(), f"{name} was removed")
    (folder / "cut.wnpu").write_bytes(b"cut")
    expect(run("models", "remove", "cut", *HERE), 0, "removed")
    check(not (folder / "cut.wnpu").exists(), "a model is still here")


def files_beside_a_model():
    """A user's own files in a model's folder are named, and nothing is removed."""
    for name in ("my_notes.txt", "talk.wav", "notes/"):
        clean()
        shutil.copytree(work / "model", folder / "mine")
        if name.endswith("/"):
            (folder / "mine" / name).mkdir()
        else:
            (folder / "mine" / name).write_text("precious")
        before = sorted(folder.rglob("*"))
        expect(run("models", "remove", "mine", *HERE), 3, f"mine: expected files of a model alone, found {name.strip('/')}")
        check(sorted(folder.rglob("*")) == before, f"{name}: something was removed")
    clean()
    shutil.copytree(work / "model", folder / "mine")
    expect(run("models", "remove", "mine", *HERE), 0, "mine: removed")
    expect(run("quantize", str(work / "model"), "--precision", "int8", "-o", str(folder / "mine8")), 0, "")
    expect(run("models", "remove", "mine8", *HERE), 0, "mine8: removed")


def models_are_no_places_for_results():
    clean()
    shutil.copytree(work / "model", folder / "mine")
    mine = folder / "mine"
    expect(run("models", "convert", str(mine), "-o", str(folder / "mine.wnpu")), 0, "bytes")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for place in ("mine/model.bin", "mine/config.json", "mine.wnpu"):
        expect(run("transcribe", "--model", str(mine), "--language", "en", "--format", "json", "--overwrite", "--output",
                   str(folder / place), str(work / "tone.wav")), 6, f"{place}: expected a place for a result, found .* model")
    expect(run("models", "convert", str(mine), "-o", str(mine / "model.bin"), "--overwrite"), 6, "model.bin: expected a place")
    check({path: path.read_bytes() for path in before} == before, "a model was changed")
    expect(run("models", "convert", str(mine), "-o", str(folder / "mine.wnpu"), "--overwrite"), 0, "bytes")


def parts():
    clean()
    for left in (".base.ctranslate2.part", ".base.ggml.part", ".base.removed"):
        (folder / left).mkdir()
        (folder / left / "model.bin.part").write_bytes(b"part")
    done = run("models", "remove", "base", *HERE)
    expect(done, 0, r"/\.base\.ctranslate2\.part: removed\n")
    check(f"{folder}/base:" not in done.stdout, "what was not there is called removed", done)
    check(not list(folder.iterdir()), f"left: {list(folder.iterdir())}")
    expect(run("models", "remove", "base", *HERE), 3, "found none")


def verified():
    """One that is wrong keeps no other from being looked at, and one that nobody publishes is not wrong."""
    clean()
    expect(run("models", "convert", str(work / "model"), "-o", str(folder / "whole.wnpu")), 0, "bytes")
    shutil.copytree(work / "model", folder / "mine")
    expect(run("models", "verify", *HERE), 0, "mine: unknown: .*\n.*whole.wnpu: ok")
    expect(run("models", "verify", "mine", *HERE), 3, "unknown")
    (folder / "cut.wnpu").write_bytes((folder / "whole.wnpu").read_bytes()[:1000])
    expect(run("models", "verify", *HERE), 3, "cut.wnpu: wrong: .*\n.*mine: unknown: .*\n.*whole.wnpu: ok")


def in_several_files():
    clean()
    (folder / "large").mkdir()
    (folder / "large/model.safetensors.index.json").write_text("{}")
    expect(run("models", "list", "--here", *HERE), 0, "large .* safetensors")
    expect(run("models", "remove", "large", *HERE), 0, "removed")


def to_stdout():
    packed = work / "whole.wnpu"
    expect(run("models", "convert", str(work / "model"), "-o", str(packed)), 0, "bytes")
    for name in ("-", "/dev/stdout"):
        with open(work / "packed", "wb") as file:
            done = subprocess.run([program, "models", "convert", str(work / "model"), "-o", name], stdout=file,
                                  stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False, cwd=work)
        check(done.returncode == 0, f"convert to {name}: {done.stderr}")
        check((work / "packed").read_bytes() == packed.read_bytes(), f"convert to {name}: another file")
        check(not (work / "-").exists(), "a file is called -")


def paths_to_nothing():
    """A path is told as one: nobody has looked for it in the models' folder."""
    clean()
    for words in (["info"], ["info", "--json"], ["verify"]):
        expect(run("models", *words, "./nothere", *HERE), 3, r"\./nothere: expected a model file or folder, found nothing")
    for action in ("remove", "path"):
        done = run("models", action, "./nothere", *HERE)
        expect(done, 3, rf"\./nothere: expected a name in {folder}, found a path, with nothing there")
        check(not done.stdout, f"models {action}: expected nothing on stdout", done)
    expect(run("models", "info", "basse", *HERE), 3, "did you mean base")
    expect(run("--model", "smal", *HERE, str(work / "tone.wav")), 3, f"a name in {folder}, .*did you mean small")


def advice():
    clean()
    done = run("doctor", "--model", "base", *HERE, "--json")
    tried = [each["remedy"] for each in json.loads(done.stdout)["checks"]]
    check(f"whisper-npu models pull base --model-dir {folder}" in tried, f"doctor says {tried}")


def on_terminal(*words):
    """What a terminal gets of stdout."""
    terminal, line = pty.openpty()
    done = subprocess.run([program, *words], stdout=line, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_S, check=False)
    os.close(line)
    check(done.returncode == 0, f"{words}: {done.stderr}")
    text = os.read(terminal, 65536)
    os.close(terminal)
    return text


def shown():
    """A name that clears the screen: as it is for programs, harmless for people, one line of the table for both."""
    clean()
    name = "a\x1b[2J\nb"
    shutil.copytree(work / "model", folder / name)
    for words in (["list", "--here"], ["list", "--names"], ["path", name]):
        check(b"\x1b" not in on_terminal("models", *words, *HERE), f"{words}: the name reaches the terminal")
    check(b"a?[2J?b  " in on_terminal("models", "list", "--here", *HERE), "list: expected the name in one line")
    check(name in run("models", "list", "--names", *HERE).stdout, "list --names: expected the name")
    check("\x1b" not in run("models", "list", "--here", *HERE).stdout, "list: expected a table for people")


try:
    subprocess.run([nano, work / "nano"], check=True)
    shutil.copytree(work / "nano/model", work / "model")
    shutil.copy(work / "nano/tone.wav", work / "tone.wav")
    for test in (no_model_yet, secrets, files_that_are_no_models, files_beside_a_model,
                 models_are_no_places_for_results, parts, verified, in_several_files, to_stdout,
                 paths_to_nothing, shown, advice):
        test()
        print(f"models remove: {test.__name__}: ok", flush=True)
finally:
    shutil.rmtree(work, ignore_errors=True)
