"""hub_test.py WHISPER_NPU WRITE_NANO_MODEL: `models pull` from a server that stands in for the hub and lies
in every way it can: nothing that is wrong is ever a model, and a second pull ends well."""
import hashlib
import json
import os
import pathlib
import pty
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import jsonschema
except ImportError:
    jsonschema = None  # its lines are JSON, whatever is in them

from lying_server import LyingServer, environment_without_proxies, files_of_model
from patience import PATIENCE_S, patience
from process_checks import ProcessChecks

program, nano = (os.path.abspath(each) for each in sys.argv[1:3])
checks = ProcessChecks("hub")
check, expect = checks.check, checks.expect
work = pathlib.Path(tempfile.mkdtemp(prefix="wnpu_hub."))
# Connect and slow connections: seconds; the wait before a second try: milliseconds.
TIMES = "2:1:20"
# None of its files has a published size or SHA-256, so that a small model can stand in for it.
MODEL = "distil-large-v2"
REPOSITORY = "Systran/faster-distil-whisper-large-v2"
USERS_CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "whisper-npu"
QUICK = ["--beam-size", "1", "--temperature-increment-on-fallback", "None", "--threads", "1"]


subprocess.run([nano, work / "nano"], check=True)
hub = LyingServer(files_of_model(work / "nano/model"), lambda path: REPOSITORY in path)


def environment(**more):
    own = {"XDG_CACHE_HOME": str(work / "cache"), "WNPU_HUB_TIMES": TIMES, "WHISPER_NPU_HUB": hub.url}
    return environment_without_proxies(**{**own, **more})


def run(*words, **options):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=PATIENCE_S, env=environment(),
                          stdin=subprocess.DEVNULL, **options)


folder = work / "cache/whisper-npu"


def is_right():
    model = folder / MODEL
    return all((model / name).read_bytes() == body for name, body in hub.files.items() if (model / name).exists()) \
        and (model / "model.bin").exists()


def clean():
    shutil.rmtree(work / "cache", ignore_errors=True)
    hub.lies = None
    hub.requests.clear()


def no_model(text):
    check(not (folder / MODEL).exists(), f"{text}: there is a model")


def second_pull(text):
    hub.lies = None
    done = run("models", "pull", MODEL)
    expect(done, 0, MODEL)
    check(is_right(), f"{text}: the second pull's files are wrong")


def pull_and_use():
    clean()
    done = run("models", "pull", MODEL)
    expect(done, 0, f"^{folder}/{MODEL}$".replace("^", "").replace("$", ""))
    check(is_right(), "files are wrong")
    check("no SHA-256 is published" in done.stderr, "a pin is not said", done)
    left = sorted(each.name for each in folder.iterdir())
    check(left == [MODEL, "models.lock"], f"left: {left}")
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder / MODEL, check=True)
    expect(run("models", "verify", MODEL), 0, r"model.bin: ok \(pinned")
    expect(run("models", "verify"), 0, r"model.bin: ok")
    expect(run("models", "list", "--here"), 0, rf"{MODEL} +English +\? +[^ ]+ GB +[^ ]+ x +ctranslate2")
    expect(run("models", "info", MODEL), 0, "encoder layers: 2")
    expect(run("models", "path", MODEL), 0, f"{folder}/{MODEL}")
    expect(run("transcribe", *QUICK, "--model", MODEL, str(work / "nano/tone.wav")), 0, "")
    n_before = len(hub.requests)
    expect(run("models", "pull", MODEL), 0, MODEL)
    check(len(hub.requests) == n_before, "a model that is there was pulled again")
    (folder / MODEL / "model.bin").write_bytes(b"other")
    expect(run("models", "verify", MODEL), 3, "wrong: expected SHA-256")
    expect(run("models", "remove", MODEL), 0, "removed")
    expect(run("models", "path", MODEL), 3, f"whisper-npu models pull {MODEL}")
    # What is pulled again has to be what it was.
    hub.files["tokenizer.json"] = b'{"other": 1}'
    expect(run("models", "pull", MODEL), 3, "tokenizer.json: expected .*, found")
    no_model("another file than the pinned one")
    hub.files["tokenizer.json"] = b"{}"
    second_pull("another file than the pinned one")


def refusals():
    clean()
    expect(run("models", "pull"), 2, "expected a name")
    expect(run("models", "pull", "tinny"), 2, "did you mean tiny")
    expect(run("models", "pull", "--source", "ftp://x", "tiny"), 2, "expected a URL")
    expect(run("models", "pull", "--offline", "tiny"), 3, "whisper-npu models pull tiny fetches it")
    expect(run("models", "remove", "../nano"), 3, "found a path, with nothing there")
    expect(run("models", "pull", "distil-small.en", "--format", "pytorch"), 3, "not published as pytorch")
    expect(run("models", "pull", "distil-small.en"), 3, "404")
    check(len({path.split("/")[1] for path, _ in hub.requests}) > 1, "no other source was asked")
    # A command line never pulls by itself where nobody can be asked.
    hub.requests.clear()
    tone = str(work / "nano/tone.wav")
    expect(run("transcribe", "--model", MODEL, tone), 3, f"whisper-npu models pull {MODEL} fetches .*--yes")
    expect(run("transcribe", "--model", MODEL, "--offline", tone), 3, "--offline keeps it from being pulled")
    expect(run("transcribe", "--model", MODEL, "--offline", "--yes", tone), 2, "excludes")
    check(not hub.requests, "something was asked for")
    expect(run("transcribe", *QUICK, "--model", MODEL, "--yes", tone), 0, "")
    check(is_right(), "--yes did not pull")


def wrong_bytes():
    clean()
    # With a published SHA-256 what is wrong is refused by that, here at the first file.
    body = b"{" + b" " * 2315 + b"}"
    hub.lies = lambda handler, name: name == "config.json" and hub.answer(handler, name, body)
    hub.files, kept = {**hub.files, "config.json": body}, hub.files
    global REPOSITORY
    REPOSITORY, was = "Systran/faster-whisper-tiny.en", REPOSITORY
    done = run("models", "pull", "tiny.en")
    expect(done, 3, "expected SHA-256 14b1b421a9.*, found")
    check(not (folder / "tiny.en").exists(), "a wrong file is a model")
    REPOSITORY, hub.files = was, kept
    # Without one, what is no model is refused by that.
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, b"no model" * 100)
    expect(run("models", "pull", MODEL), 3, "what was pulled is no model")
    no_model("no model")
    check(not (folder / "models.lock").exists(), "what is no model was pinned")
    second_pull("no model")


def by_schema(text, name):
    found = json.loads(text)
    schema = json.loads((pathlib.Path(__file__).parents[2] / f"app/commands/models/{name}.schema.json").read_text())
    if jsonschema:
        jsonschema.Draft202012Validator(schema).validate(found)
    return found


def info_json(name):
    done = run("models", "info", name, "--json")
    expect(done, 0, "schema_version")
    return by_schema(done.stdout, "models_info")


def logged():
    """With --log-format json all of stderr is JSON lines, and bytes are among them."""
    clean()
    cuts = iter([1000])
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, upto=next(cuts, None))
    done = run("models", "pull", "--log-format", "json", MODEL)
    expect(done, 0, "tried again")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    schema = json.loads((pathlib.Path(__file__).parents[2] / "app/formats/log.schema.json").read_text())
    for line in lines if jsonschema else []:
        jsonschema.Draft202012Validator(schema).validate(line)
    last = [each for each in lines if each["type"] == "progress" and each["file"].endswith("model.bin")][-1]
    for kind, words in (("list", []), ("list", ["--here"]), ("info", [MODEL]), ("info", ["tiny"])):
        done = run("models", kind, "--json", *words)
        expect(done, 0, "schema_version")
        found = by_schema(done.stdout, f"models_{kind}")
        here = {each["name"]: each["format"] for each in found.get("models", []) if each["path"]}
        check(kind == "info" or here == {MODEL: "ctranslate2"}, f"list {words}: found {here}")
        stored = found.get("stored") or {}
        check(kind == "list" or stored.get("path") == (str(folder / MODEL) if words == [MODEL] else None), f"{stored}")
    check(last["unit"] == "bytes" and last["done"] == last["total"] == len(hub.files["model.bin"]), f"found {last}")


def cut_and_resumed():
    clean()
    whole = len(hub.files["model.bin"])
    cuts = iter([whole // 3, 2 * whole // 3])

    def cut(handler, name):
        upto = next(cuts, None) if name == "model.bin" else None
        return upto is not None and hub.answer(handler, name, upto=upto)
    hub.lies = cut
    expect(run("models", "pull", MODEL), 0, "tried again")
    check(is_right(), "a resumed file is wrong")
    ranges = [each for path, each in hub.requests if path.endswith("model.bin")]
    check(ranges == [None, f"bytes={whole // 3}-", f"bytes={2 * whole // 3}-"], f"ranges: {ranges}")


def range_ignored():
    clean()
    cuts = iter([len(hub.files["model.bin"]) // 2])

    def lie(handler, name):
        if name != "model.bin":
            return False
        return hub.answer(handler, name, upto=next(cuts, None), ranges=False)
    hub.lies = lie
    expect(run("models", "pull", MODEL), 0, MODEL)
    check(is_right(), "a file whose range was ignored is wrong")


def wrong_place():
    """A 206 that begins elsewhere than asked for."""
    clean()
    whole = hub.files["model.bin"]
    turns = iter(["cut", "elsewhere"])

    def lie(handler, name):
        turn = next(turns, None) if name == "model.bin" else None
        if turn == "cut":
            return hub.answer(handler, name, upto=len(whole) // 2)
        if turn is None:
            return False
        handler.send_response(206)
        handler.send_header("ETag", '"' + hashlib.md5(whole).hexdigest() + '"')
        handler.send_header("Content-Range", f"bytes 10-{len(whole) - 1}/{len(whole)}")
        handler.send_header("Content-Length", str(len(whole) - 10))
        handler.end_headers()
        handler.wfile.write(whole[10:])
        return True
    hub.lies = lie
    expect(run("models", "pull", MODEL), 0, "has changed")
    check(is_right(), "a part from another place was taken")


def changed_between():
    """The part is of a file that is no longer there, whether If-Range is heeded or not."""
    for heeds in (True, False):
        clean()
        old = bytes(len(hub.files["model.bin"]))
        hub.lies = lambda handler, name, old=old: name == "model.bin" and hub.answer(
            handler, name, old, upto=len(old) // 2)
        expect(run("models", "pull", MODEL), 3, "tries")
        no_model("a cut file")

        def other(handler, name):
            if name == "model.bin" and not heeds:
                del handler.headers["If-Range"]
            return False
        hub.lies = other
        expect(run("models", "pull", MODEL), 0, MODEL)
        check(is_right(), f"two files were mixed (If-Range heeded: {heeds})")


def errors():
    clean()
    codes = iter([500, 503, 429])

    def lie(handler, name):
        code = next(codes, None)
        return code is not None and hub.refuse(handler, code)
    hub.lies = lie
    expect(run("models", "pull", MODEL), 0, "the server says 503; tried again")
    clean()
    hub.lies = lambda handler, name: hub.refuse(handler, 500)
    expect(run("models", "pull", MODEL), 3, r"the server says 500 \(5 tries\)")
    second_pull("500")

    clean()
    hub.lies = lambda handler, name: hub.redirect(handler, handler.path)
    expect(run("models", "pull", MODEL), 3, "redirect")
    check(len(hub.requests) < 20, "a loop is followed on and on")
    second_pull("a redirect loop")


def redirected():
    clean()
    hub.lies = lambda handler, name: (not handler.path.startswith("/cdn/") and
                                      hub.redirect(handler, "/cdn" + handler.path))
    expect(run("models", "pull", MODEL), 0, MODEL)
    check(is_right(), "a redirected file is wrong")


def lengths():
    clean()
    whole = len(hub.files["model.bin"])
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, length=whole + 1000)
    expect(run("models", "pull", MODEL), 3, "tries")
    no_model("too long a length")
    second_pull("too long a length")
    clean()
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, length=whole - 1000)
    expect(run("models", "pull", MODEL), 3, "is no model")
    no_model("too short a length")
    second_pull("too short a length")


def slow_drip():
    clean()
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, slow=0.3)
    begin = time.monotonic()
    done = run("models", "pull", MODEL)
    expect(done, 3, r"\(5 tries\)")
    check(time.monotonic() - begin < patience(30), "a slow server is waited for", done)
    no_model("a slow drip")
    second_pull("a slow drip")


def disk_full():
    clean()

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    expect(run("models", "pull", MODEL, preexec_fn=limit), 6, "cannot be written: File too large .*removed")
    no_model("a full disk")
    left = [str(each) for each in folder.rglob("*.part") if each.is_file()]
    check(not left, f"left on a full disk: {left}")
    second_pull("a full disk")


def stopped():
    clean()
    hub.lies = lambda handler, name: name == "model.bin" and hub.answer(handler, name, slow=0.01)
    part = folder / f".{MODEL}.ctranslate2.part/model.bin.part"
    for number in (signal.SIGINT, signal.SIGTERM):
        before = part.stat().st_size if part.exists() else 0
        child = subprocess.Popen([program, "models", "pull", MODEL], env=environment(WNPU_HUB_TIMES="2:30:20"),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + patience(20)
        while (not part.exists() or part.stat().st_size <= before) and time.monotonic() < end:
            time.sleep(0.01)
        begin = time.monotonic()
        child.send_signal(number)
        code = child.wait(patience(10))
        took = time.monotonic() - begin
        child.stdout.close()
        child.stderr.close()
        check(code == 128 + number, f"signal {number}: exit code {code}")
        check(took < patience(0.5), f"signal {number}: {took:.2f} s until the end")
        check(part.stat().st_size > before, "the part is not kept")
        no_model("a stopped pull")
    hub.requests.clear()
    second_pull("a stopped pull")
    check(any(each for path, each in hub.requests if path.endswith("model.bin")), "the part was not gone on with")


def two_at_once():
    clean()
    hub.lies = lambda handler, name: name == "model.bin" and (time.sleep(0.5), False)[1]
    both = [subprocess.Popen([program, "models", "pull", MODEL], env=environment(), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    said = [each.communicate(timeout=PATIENCE_S) for each in both]
    check([each.returncode for each in both] == [0, 0], f"two at once: {said}")
    check(sum("waiting for that" in err for _, err in said) == 1, f"two at once: {said}")
    n_pulled = sum(path.endswith("model.bin") for path, _ in hub.requests)
    check(n_pulled == 1, f"two at once: the model was pulled {n_pulled} times")
    check(is_right(), "two at once: the files are wrong")


def detector():
    """The weights of the detector of speech, by the rules of models."""
    global REPOSITORY
    clean()
    tone, name = str(work / "nano/tone.wav"), "silero-vad"
    asked = ["transcribe", *QUICK, "--model", str(work / "nano/model"), "--language", "en", "--vad", "True", tone]
    expect(run(*asked), 3, "--vad True: expected its weights in .*models pull silero-vad fetches 1 MB .*--yes")
    expect(run(*asked, "--offline"), 3, "--offline keeps it from being pulled")
    expect(run("models", "pull", "silero-vat"), 2, "did you mean silero-vad")
    expect(run("models", "path", name), 3, "whisper-npu models pull silero-vad fetches it")
    check(not hub.requests, "something was asked for")
    REPOSITORY, was = "snakers4/silero-vad", REPOSITORY
    kept, weights = hub.files, "silero_vad_16k.safetensors"
    try:
        check(info_json(name)["stored"] is None, "weights that are not here are told of")
        hub.files = {weights: b"no weights"}
        expect(run("models", "pull", name), 3, "expected SHA-256 c59271c2.*, found|expected 1239748 bytes")
        check(not (folder / "silero_vad").exists(), "wrong weights are there")
        real = USERS_CACHE / "silero_vad" / weights
        if not real.exists():
            return print("hub: detector: SKIP the rest: no weights in the cache folder")
        hub.files = {weights: real.read_bytes()}
        expect(run(*asked, "--yes"), 0, "pulling silero-vad: 1 MB from snakers4/silero-vad .*MIT")
        shutil.rmtree(folder / "silero_vad")
        expect(run("models", "pull", name), 0, f"{folder}/silero_vad")
        check((folder / "silero_vad" / weights).read_bytes() == real.read_bytes(), "the weights are others")
        left = sorted(each.name for each in folder.iterdir())
        check(left == ["silero_vad"], f"left: {left}")
        expect(run(*asked), 0, "")
        for words in (["verify", name], ["verify"]):
            expect(run("models", *words), 0, rf"{weights}: ok \(published as ")
        expect(run("models", "list"), 0, r"silero-vad +- +1 MB +- +- +safetensors +safetensors")
        expect(run("models", "info", name), 0, f"path: {folder}/silero_vad\n(.*\n)*.*c59271c2")
        stored = info_json(name)["stored"]
        check(stored == {"path": str(folder / "silero_vad"), "format": "safetensors"}, f"found {stored}")
        check(run("models", "list", "--here", "--names").stdout == "", "the detector is called a model")
        (folder / "silero_vad" / weights).write_bytes(b"other")
        expect(run("models", "verify", name), 3, "wrong: expected SHA-256 c59271c2")
        expect(run("models", "remove", name), 0, "removed")
        check(not list(folder.iterdir()), f"left: {list(folder.iterdir())}")
    finally:
        REPOSITORY, hub.files = was, kept


def on_a_terminal():
    """There somebody is asked, and sees how far it is."""
    clean()
    hub.lies = lambda handler, name: name == "model.bin" and (time.sleep(0.1), False)[1]
    for answer, code in ((b"n\n", 3), (b"y\n", 0)):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(environment(TERM="vt100"))
            for name in list(os.environ):
                if name.lower().endswith("_proxy") and name != "no_proxy":
                    del os.environ[name]
            os.execv(program, [program, "transcribe", *QUICK, "--model", MODEL, str(work / "nano/tone.wav")])
        said, is_answered = b"", False
        while select.select([terminal], [], [], 30)[0]:
            try:
                more = os.read(terminal, 4096)
            except OSError:
                break
            said += more
            if not is_answered and b"[Y/n]" in said:
                os.write(terminal, answer)
                is_answered = True
        os.close(terminal)
        found = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        check(is_answered and found == code, f"on a terminal: exit code {found}: {said.decode()}")
    check(b"model.bin" in said and b"%" in said and b"left" in said, f"no bar: {said.decode()}")
    check(is_right(), "on a terminal: the files are wrong")


try:
    for test in (pull_and_use, refusals, wrong_bytes, logged, cut_and_resumed, range_ignored, wrong_place, changed_between,
                 errors, redirected, lengths, slow_drip, disk_full, stopped, two_at_once, detector, on_a_terminal):
        begin = time.monotonic()
        test()
        print(f"hub: {test.__name__}: ok ({time.monotonic() - begin:.1f} s)", flush=True)
finally:
    shutil.rmtree(work, ignore_errors=True)
