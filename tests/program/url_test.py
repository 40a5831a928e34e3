"""url_test.py WHISPER_NPU WRITE_NANO_MODEL: recordings at URLs, from a server that lies in every way it can: the text
is the file's or there is none, no secret is shown, and no temporary file is left."""
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from lying_server import LyingServer, environment_without_proxies
from patience import PATIENCE_S, patience
from process_checks import ProcessChecks

program, nano = (os.path.abspath(each) for each in sys.argv[1:3])
checks = ProcessChecks("url")
check, expect = checks.check, checks.expect
work = pathlib.Path(tempfile.mkdtemp(prefix="wnpu_url."))
TIMES = "2:1:20"  # as in hub_test.py
subprocess.run([nano, work / "nano"], check=True)
TONE = (work / "nano/tone.wav").read_bytes()
SECRETS = ("s3cret", "pa55word")
server = LyingServer({"talk.wav": TONE, "my%20talk.wav": TONE, "page.wav": b"<html>" + b"no" * 500, "empty.wav": b"",
                      "get": TONE})
HOST = server.url.removeprefix("http://")
TALK = f"http://user:{SECRETS[1]}@{HOST}/a/talk.wav?token={SECRETS[0]}#t"
SHOWN = f"{server.url}/a/talk.wav"
QUICK = ["--beam-size", "1", "--temperature-increment-on-fallback", "None", "--threads", "1", "--language", "en",
         "--model", str(work / "nano/model")]
here, spool = work / "here", work / "spool"


def environment():
    return environment_without_proxies(TMPDIR=str(spool), WNPU_HUB_TIMES=TIMES, XDG_CACHE_HOME=str(work / "cache"))


def run(*words, **options):
    options = {"stdin": subprocess.DEVNULL, **options}
    done = subprocess.run([program, *words], capture_output=True, text=True, env=environment(), cwd=here,
                          timeout=PATIENCE_S, **options)
    for secret in SECRETS:
        check(secret not in done.stdout + done.stderr, f"{words}: {secret} is shown", done)
    check(not list(spool.iterdir()), f"{words}: left in TMPDIR: {list(spool.iterdir())}")
    return done


def clean():
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    spool.mkdir(exist_ok=True)
    server.lies = None
    server.requests.clear()


def of_file(*words):
    return run("transcribe", *QUICK, *words, str(work / "nano/tone.wav"))


def as_file(done, text):
    check(done.returncode == 0 and done.stdout == of_file().stdout, text, done)


def fetch(*words, url=TALK):
    return run("transcribe", *QUICK, *words, url)


def like_a_file():
    clean()
    as_file(fetch(), "another text than the file's")
    as_file(run(TALK, *QUICK), "without a command")
    as_file(run("transcribe", *QUICK, "--isolate", "on", TALK), "in a worker")
    ours, files = (json.loads(each.stdout) for each in (fetch("--format", "json"), of_file("--format", "json")))
    check(ours["input"] == {**files["input"], "path": SHOWN}, f"input: {ours['input']}")
    check(ours["input"]["sha256"] == hashlib.sha256(TONE).hexdigest(), f"input: {ours['input']}")
    check(ours["segments"] == files["segments"], "other segments")
    expect(fetch("--dry-run"), 0, re.escape(SHOWN) + ": .* of audio")
    as_file(fetch(url=(work / "nano/tone.wav").as_uri()), "file://")
    expect(fetch(url="file://elsewhere/talk.wav"), 2, "expected file:///path")


def names():
    """A result is named by the URL's last part, in the working directory, and replaces no recording."""
    clean()
    beside = ["--output-template", "{dir}/{stem}.{ext}", "--format", "srt"]
    expect(fetch(*beside), 0, "")
    expect(fetch(*beside, url=f"{server.url}/a/my%20talk.wav/?x={SECRETS[0]}"), 4, "404|my")
    server.lies = lambda handler, name: server.answer(handler, "talk.wav")
    for path, name in (("a/my%20talk.wav", "my talk"), ("a%2Fb", "a%2Fb"), ("..%2f..%2fx.wav", "..%2f..%2fx"),
                       ("%2e%2e", "%2e%2e"), ("", "recording"), ("x/%00.wav", "%00")):
        before = set(os.listdir(here))
        expect(fetch(*beside, url=f"{server.url}/{path}"), 0, "")
        new = set(os.listdir(here)) - before
        check(new == {name + ".srt"}, f"{path}: expected {name}.srt, found {new}")
    server.lies = None
    (here / "talk.wav").write_bytes(TONE)
    expect(fetch("--output-template", "{name}", "--format", "txt", "--overwrite"), 6, "which no result replaces")
    expect(fetch("--output-template", "{name}", "--format", "txt"), 6, "is there already")
    check((here / "talk.wav").read_bytes() == TONE, "a recording was replaced")


def refusals():
    clean()
    tone = str(work / "nano/tone.wav")
    expect(run("transcribe", *QUICK, TALK, tone), 2, f"{SHOWN}: .*--allow-urls")
    expect(fetch("--offline"), 2, f"{SHOWN}: --offline keeps it")
    expect(fetch(url=TALK.replace("http:", "ftp:")), 2, "a URL of http, https or file, found one of ftp")
    rows = here / "rows.jsonl"
    rows.write_text(json.dumps({"audio_filepath": TALK.replace(SECRETS[0], "x").replace(SECRETS[1], "x")}) + "\n")
    done = run("transcribe", *QUICK, "--manifest", str(rows))
    expect(done, 1, f"found ..?{SHOWN}..?; --allow-urls fetches it")
    expect(run("worker", *QUICK, input=rows.read_text(), stdin=None), 0, "bad_row")
    expect(run("worker", *QUICK, "--allow-urls", "--offline", input="", stdin=None), 2, "exclude each other")
    check(not server.requests, f"something was fetched: {server.requests}")


def batches():
    clean()
    tone = str(work / "nano/tone.wav")
    get = [f"{server.url}/get?id={number}" for number in (1, 2)]
    done = run("transcribe", *QUICK, "--allow-urls", "--format", "json", TALK, f"{server.url}/none.wav", tone, *get)
    expect(done, 1, f"{server.url}/none.wav: cannot be fetched: the server says 404")
    paths = [json.loads(line)["input"]["path"] for line in done.stdout.split("\n\n") if line.strip()] \
        if "\n\n" in done.stdout else re.findall(r'"path": "([^"]*(?:wav|get[^"]*))"', done.stdout)
    check(paths == [SHOWN, tone, f"{server.url}/get", f"{server.url}/get#2"], f"found {paths}")
    check([path for path, _ in server.requests][-2:] == ["/get?id=1", "/get?id=2"], f"{server.requests}")
    # Rows, by both commands: those of files and of URLs have the same text.
    urls = [f"{server.url}/a/talk.wav", f"{server.url}/none.wav", tone, f"{server.url}/talk.wav"]
    rows = here / "rows.jsonl"
    rows.write_text("".join(json.dumps({"audio_filepath": each, "id": str(number)}) + "\n"
                            for number, each in enumerate(urls)))
    asked = ["--allow-urls", "--batch-size", "2"]
    for done, code in ((run("transcribe", *QUICK, *asked, "--manifest", str(rows)), 1),
                       (run("worker", *QUICK, *asked, input=rows.read_text(), stdin=None), 0)):
        expect(done, code, "")
        found = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
        check(sorted(found) == ["0", "1", "2", "3"], "rows are missing", done)
        check(len({found[id_]["pred_text"] for id_ in "023"}) == 1, "rows have other texts", done)
        error = found["1"]["error"]
        check(error["code"] == "audio" and error["exit_code"] == 4 and "404" in error["message"], f"found {error}")
    server.lies = lambda handler, name: server.refuse(handler, 500)
    done = run("worker", *QUICK, "--allow-urls", input=rows.read_text().splitlines()[0] + "\n", stdin=None)
    check(json.loads(done.stdout)["error"]["code"] == "network", "a row whose server fails", done)


def rows_go_on():
    """Rows of files do not wait for those that are being fetched, and a signal ends that at once."""
    clean()
    tone = str(work / "nano/tone.wav")
    is_held = True

    def held(handler, _):
        while is_held:
            time.sleep(0.01)
        return False

    def start(batch, n_urls):
        named = [*[f"{server.url}/talk.wav?{number}" for number in range(n_urls)], *[tone] * 3]
        asked = ["worker", *QUICK, "--allow-urls", "--order", "done", "--batch-size", str(batch)]
        child = subprocess.Popen([program, *asked], env={**environment(), "WNPU_HUB_TIMES": "2:30:20"}, cwd=here, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for number, each in enumerate(named):
            child.stdin.write(json.dumps({"audio_filepath": each, "id": str(number)}) + "\n")
        child.stdin.flush()
        return child, [json.loads(child.stdout.readline()) for _ in range(3)]
    server.lies = held
    for batch, n_urls in ((1, 1), (4, 2)):
        is_held = True
        child, first = start(batch, n_urls)
        check({each["audio_filepath"] for each in first} == {tone}, f"found first: {first}")
        is_held = False
        last = [json.loads(line) for line in child.communicate(timeout=PATIENCE_S)[0].splitlines()]
        check(child.returncode == 0 and len(last) == n_urls, f"found last: {last}")
        check(len({each["pred_text"] for each in first + last}) == 1, f"rows have other texts: {first + last}")
    is_held = True
    child, _ = start(1, 1)
    begin = time.monotonic()
    child.send_signal(signal.SIGTERM)
    check(child.wait(patience(10)) == 128 + signal.SIGTERM, "stopped while a row is fetched")
    check(time.monotonic() - begin < patience(1), "a signal waits for a row that is fetched")
    check(not list(spool.iterdir()), "something is left")
    is_held = False


def bad_answers():
    """What will not be better is exit code 4, what may be 9."""
    clean()
    whole = len(TONE)

    def lie(code, text, answer, *words):
        server.lies = answer
        server.requests.clear()
        expect(fetch(*words), code, f"{SHOWN}: {text}")

    lie(4, "cannot be fetched: the server says 404", lambda handler, _: server.refuse(handler, 404))
    lie(4, "cannot be fetched: the server says 403", lambda handler, _: server.refuse(handler, 403))
    lie(4, "cannot be fetched: .*redirect", lambda handler, _: server.redirect(handler, handler.path))
    check(len(server.requests) < 20, "a loop is followed on and on")
    for to in ((work / "nano/tone.wav").as_uri(), "ftp://127.0.0.1/talk.wav", "gopher://127.0.0.1/x"):
        lie(4, "cannot be fetched: the server redirects to a URL of another kind than http or https",
            lambda handler, _, to=to: server.redirect(handler, to))
    lie(4, "expected .*; its server calls it text/html",
        lambda handler, _: server.answer(handler, "page.wav", headers=[("Content-Type", "text/html; charset=x")]))
    lie(4, r"expected an audio file, found an empty file \(0 bytes\)",
        lambda handler, _: server.answer(handler, "empty.wav"))
    lie(4, f"cannot be fetched: expected at most 1024 bytes, found {whole}; --max-download", None, "--max-download", "1K")

    def endless(handler, _):
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        for _ in range(1000):
            handler.wfile.write(TONE)
        return True
    lie(4, f"cannot be fetched: expected at most 1048576 bytes, found more; --max-download", endless, "--max-download",
        "1M")
    lie(4, "cannot be fetched: expected the whole file, found a part of it",
        lambda handler, _: answer_in_parts(handler, f"bytes 5-9/{whole}"))
    lie(4, "cannot be fetched: the server sends a header that is too long",
        lambda handler, _: server.answer(handler, "talk.wav", headers=[("X-Long", "x" * (1 << 20))]))
    lie(4, "cannot be fetched: the server sends a header that is too long",
        lambda handler, _: server.answer(handler, "talk.wav", headers=[("X-Long", "x" * 1000)] * 1000))
    check(len(server.requests) == 1, f"a header that is too long is tried again: {server.requests}")
    lie(9, r"cannot be fetched: the server says 500 \(5 tries\)", lambda handler, _: server.refuse(handler, 500))
    lie(9, "cannot be fetched: .*5 tries", lambda handler, _: server.answer(handler, "talk.wav", upto=1000))
    lie(9, "cannot be fetched: .*5 tries", lambda handler, _: server.answer(handler, "talk.wav", length=whole + 9))
    begin = time.monotonic()
    lie(9, "cannot be fetched: .*5 tries", lambda handler, _: server.answer(handler, "talk.wav", slow=0.3))
    check(time.monotonic() - begin < patience(30), "a slow server is waited for")
    expect(fetch(url="http://127.0.0.1:1/talk.wav"), 9, "http://127.0.0.1:1/talk.wav: cannot be fetched: .*5 tries")
    expect(fetch(url="http://127.0.0.1:99999/talk.wav"), 4, "cannot be fetched")


def answer_in_parts(handler, content_range, body=TONE):
    """206, with whatever it says of the part."""
    handler.send_response(206)
    handler.send_header("Content-Range", content_range)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
    return True


def mended():
    """What a second try mends gives the file's text."""
    clean()
    # A part that was not asked for, behind one that was cut.
    for content_range in (f"bytes 5-9/{len(TONE)}", "bytes 99999999999999999999-9/1", "x"):
        answers = iter([lambda handler: server.answer(handler, "talk.wav", upto=len(TONE) // 3),
                        lambda handler, said=content_range: answer_in_parts(handler, said)])
        server.lies = lambda handler, _: (next(answers, None) or (lambda _: False))(handler)
        child = fetch()
        as_file(child, f"after a false Content-Range, {content_range}")
        check("disk" not in str(child), f"told as a disk's failure: {child}")
    answers = iter([lambda handler: server.refuse(handler, 503), lambda handler: server.refuse(handler, 429),
                    lambda handler: server.answer(handler, "talk.wav", upto=len(TONE) // 3)])
    server.lies = lambda handler, _: (next(answers, None) or (lambda _: False))(handler)
    as_file(fetch(), "after three failures")
    check(server.requests[-1][1] == f"bytes={len(TONE) // 3}-", f"not gone on with: {server.requests}")
    server.lies = lambda handler, _: (not handler.path.startswith("/cdn/") and
                                      server.redirect(handler, "/cdn" + handler.path))
    as_file(fetch(), "redirected")
    # Another file than that of the first part.
    server.lies = lambda handler, name: len(server.requests) == 1 and server.answer(
        handler, name, bytes(len(TONE)), upto=len(TONE) // 2)
    server.requests.clear()
    as_file(fetch(), "changed between two tries")


def disk_full():
    clean()

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    expect(run("transcribe", *QUICK, TALK, preexec_fn=limit), 4, f"{SHOWN}: expected room for a temporary copy, found: ")
    as_file(fetch(), "after a full disk")


def stopped():
    """Whatever ends it, soon, and nothing is left."""
    clean()

    def drip(handler, _):
        return server.answer(handler, "talk.wav", slow=0.05)

    def stall(handler, _):
        return time.sleep(3) or server.answer(handler, "talk.wav")
    batch = ["--allow-urls", str(work / "nano/tone.wav")]
    for number, lies, more in ((signal.SIGINT, drip, []), (signal.SIGTERM, drip, batch), (signal.SIGTERM, stall, batch),
                               (signal.SIGKILL, drip, [])):
        server.lies = lies
        server.requests.clear()
        child = subprocess.Popen([program, "transcribe", *QUICK, TALK, *more], cwd=here, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env={**environment(), "WNPU_HUB_TIMES": "2:30:20"})
        end = time.monotonic() + patience(20)
        while not server.requests and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.2)
        begin = time.monotonic()
        child.send_signal(number)
        code, took = child.wait(patience(10)), time.monotonic() - begin
        check(code == (-number if number == signal.SIGKILL else 128 + number), f"signal {number}: exit code {code}")
        check(took < patience(1), f"signal {number}: {took:.2f} s until the end")
        check(not list(spool.iterdir()) and not list(here.iterdir()), f"signal {number}: something is left")


def two_at_once():
    clean()
    server.lies = lambda handler, _: (time.sleep(0.3), False)[1]
    both = [subprocess.Popen([program, "transcribe", *QUICK, TALK], env=environment(), cwd=here, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    said = [each.communicate(timeout=PATIENCE_S) for each in both]
    check([each.returncode for each in both] == [0, 0], f"two at once: {said}")
    check(said[0][0] == said[1][0] == of_file().stdout, f"two at once: {said}")


def told():
    """A bar on a terminal; bytes as JSON lines; nothing else."""
    clean()
    check("talk.wav" not in fetch("--quiet").stderr, "a bar where there is no terminal")
    ours, theirs = pty.openpty()
    child = subprocess.Popen([program, "transcribe", *QUICK, TALK], env={**environment(), "TERM": "vt100"}, cwd=here,
                             stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    bar = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:
            break
        bar += more
    os.close(ours)
    check(child.wait(patience(10)) == 0 and b"talk.wav" in bar and b"%" in bar, f"on a terminal: {bar}")
    lines = [json.loads(line) for line in fetch("--log-format", "json").stderr.splitlines()]
    bytes_ = [each for each in lines if each.get("unit") == "bytes"]
    check(bytes_ and bytes_[-1]["done"] == bytes_[-1]["total"] == len(TONE), f"found {lines}")


try:
    for test in (like_a_file, names, refusals, batches, rows_go_on, bad_answers, mended, disk_full, stopped, two_at_once,
                 told):
        begin = time.monotonic()
        test()
        print(f"url: {test.__name__}: ok ({time.monotonic() - begin:.1f} s)", flush=True)
finally:
    shutil.rmtree(work, ignore_errors=True)
