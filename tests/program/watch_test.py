"""watch_test.py PROGRAM WRITE_NANO_MODEL: `transcribe --watch` with writers that are slow, rename, come in
bursts, make folders, die; a bad file, results among the recordings, more events than the kernel keeps, a folder
that goes, and signals."""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from patience import patience

PROGRAM, NANO = (os.path.abspath(each) for each in sys.argv[1:3])
LIMIT_S = patience(2)
work = tempfile.TemporaryDirectory(prefix="wnpu_watch.")
os.chdir(work.name)
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("WHISPER_NPU_")}
ENVIRONMENT |= {"XDG_CACHE_HOME": work.name + "/cache", "WHISPER_NPU_CONFIG": ""}
BESIDE = ["--output-template", "{dir}/{stem}.{ext}", "--format", "txt,json"]


def wav(seconds):
    size = int(32000 * seconds)
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", size + 36, b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16,
                         b"data", size)
    return header + bytes(range(250)) * (size // 250)


def command(*words):
    return [PROGRAM, "transcribe", "--model", "model", "--device", "cpu", "--max-tokens", "4", "--beam-size", "1",
            "--threads", "1", "--temperature-increment-on-fallback", "None", "--log-format", "json", *words]


class Watcher:
    def __init__(self, folder, *words):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.log = open("log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(command("--verbose", "--watch", folder, *(words or BESIDE)), env=ENVIRONMENT,
                                        stdout=subprocess.DEVNULL, stderr=self.log)
        self.until(lambda: self.said("watched"), "not ready")

    def messages(self):
        lines = pathlib.Path("log").read_text(encoding="utf-8").splitlines()
        return [each for each in map(json.loads, lines) if each["type"] == "message"]

    def said(self, part, file=None):
        return sum(part in each["message"] and file in (None, each.get("file")) for each in self.messages())

    def until(self, is_so, what, limit=patience(30)):
        end = time.monotonic() + limit
        while not is_so():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"watch: {what}: {self.process.poll()} {self.messages()}")
            time.sleep(0.02)

    def wait_for(self, *names):
        for name in names:
            self.until((self.folder / name).exists, f"{name} does not come")

    def never(self, name, seconds=0.6):
        time.sleep(seconds)
        check(not (self.folder / name).exists(), f"{name}: expected nothing yet", self)

    def stop(self, number=signal.SIGTERM):
        begin = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(patience(20))
        took = time.monotonic() - begin
        check(code == 128 + number, f"expected exit code {128 + number}, found {code}", self)
        check(took < LIMIT_S, f"{took:.2f} s from the signal to the end", self)
        return took


def check(holds, text, watcher=None):
    if not holds:
        sys.exit(f"watch: {text}: {watcher.messages() if watcher else ''}")


def refused(code, part, *words):
    done = subprocess.run(command(*words), capture_output=True, text=True, env=ENVIRONMENT, timeout=patience(30))
    check(done.returncode == code and part in done.stderr, f"{words}: expected {code} {part}: {done.stderr}")


def refusals():
    pathlib.Path("in").mkdir()
    pathlib.Path("a.wav").write_bytes(wav(1))
    refused(2, "--watch needs --beside, --output-dir", "--watch", "in")
    refused(2, "exclude each other: it takes", "--watch", "in", "-o", "out", "a.wav")
    refused(2, "--overwrite exclude", "--watch", "in", "-o", "out", "--overwrite")
    refused(2, "--isolate on exclude", "--watch", "in", "-o", "out", "--isolate", "on")
    refused(2, "{n} of --output-template exclude", "--watch", "in", "--output-template", "{n}.{ext}")
    refused(2, "expected a value", "--watch=", "-o", "out")
    refused(2, "recording.mp3 for recordings", "--watch", "in", "--output-template", "{dir}/{stem}.mp3", "--format", "txt")
    refused(2, "there is no field", "--watch", "in", "--output-template", "{stam}")
    refused(4, "missing: expected a folder to watch", "--watch", "missing", "-o", "out")
    refused(4, "a.wav: expected a folder to watch", "--watch", "a.wav", "-o", "out")


def as_they_come():
    folder = pathlib.Path("inbox")
    folder.mkdir()
    (folder / "before.wav").write_bytes(wav(1))
    (folder / "done.wav").write_bytes(wav(1))
    for name in ("done.txt", "done.json"):
        (folder / name).write_text("kept", encoding="utf-8")
    watcher = Watcher("inbox")
    watcher.wait_for("before.txt", "before.json")
    watcher.until(lambda: watcher.said("skipped", "inbox/done.wav"), "what is done is not skipped")
    check((folder / "done.txt").read_text(encoding="utf-8") == "kept", "a result was replaced", watcher)
    # A slow writer, and one that closes in between.
    whole = wav(2)
    with open(folder / "slow.wav", "wb", buffering=0) as file:
        for at in range(0, len(whole), len(whole) // 3):
            file.write(whole[at:at + len(whole) // 3])
            watcher.never("slow.txt", 0.5)
    watcher.wait_for("slow.txt", "slow.json")
    told = json.loads((folder / "slow.json").read_text(encoding="utf-8"))
    check(told["duration"] == 2, f"slow.wav was taken before it was whole: {told['duration']} s")
    (folder / "touched.wav").touch()
    watcher.never("touched.txt")
    (folder / "touched.wav").write_bytes(whole)
    watcher.wait_for("touched.txt")
    # Renamed into it, linked into it, and what is no recording by its name.
    pathlib.Path("elsewhere.wav").write_bytes(wav(1))
    os.rename("elsewhere.wav", folder / "renamed.wav")
    os.link(folder / "renamed.wav", folder / "linked.WAV")
    os.symlink("renamed.wav", folder / "pointed.wav")
    (folder / ".hidden.wav").write_bytes(wav(1))
    (folder / "notes.md").write_text("x", encoding="utf-8")
    watcher.wait_for("renamed.txt", "linked.txt", "pointed.txt")
    # A bad file fails alone, once; a writer that dies leaves what it wrote.
    (folder / "bad.wav").write_bytes(b"no audio at all")
    watcher.until(lambda: watcher.said("", "inbox/bad.wav"), "a bad file is not told")
    writer = subprocess.Popen([sys.executable, "-c", "import sys, time\nf = open(sys.argv[1], 'wb', buffering=0)\n"
                               "f.write(sys.stdin.buffer.read())\nprint(flush=True)\ntime.sleep(60)",
                               str(folder / "died.wav")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    writer.stdin.write(wav(2)[:40000])
    writer.stdin.close()
    writer.stdout.readline()
    watcher.never("died.txt")
    writer.kill()
    writer.wait()
    writer.stdout.close()
    watcher.wait_for("died.txt")
    # Two recordings of one result: the second is told, and nothing is lost.
    (folder / "renamed.flac").write_bytes(wav(1))
    watcher.until(lambda: watcher.said("writes it too", "inbox/renamed.flac"), "two of one result")
    # Mended, it is taken.
    (folder / "bad.wav").write_bytes(wav(1))
    watcher.wait_for("bad.txt")
    # Results start nothing, and nothing is done twice.
    time.sleep(0.5)
    n = len(watcher.messages())
    time.sleep(0.7)
    check(len(watcher.messages()) == n, "work without a recording", watcher)
    files = [each["file"] for each in watcher.messages() if "of audio in" in each["message"]]
    check(len(files) == len(set(files)) and not any(each.endswith((".txt", ".json")) for each in files), files)
    check(not (folder / ".hidden.txt").exists() and not (folder / "notes.txt").exists(), "no recording was taken")
    return watcher.stop()


def gone_and_back():
    """What is gone owns no result, and what comes back is looked at again; parts that are whole results stay."""
    watcher = Watcher("back")
    folder = watcher.folder
    (folder / "talk.mp3").write_bytes(wav(1))
    watcher.wait_for("talk.txt", "talk.json")
    for name in ("talk.mp3", "talk.txt", "talk.json"):
        os.rename(folder / name, "back_" + name)
    (folder / "talk.wav").write_bytes(wav(1))
    watcher.wait_for("talk.txt", "talk.json")
    check(not watcher.said("writes it too"), "a recording that is gone owns results", watcher)
    os.rename(folder / "talk.wav", "talk.wav")
    for name in ("talk.txt", "talk.json"):
        (folder / name).unlink()
    os.rename("talk.wav", folder / "talk.wav")
    watcher.wait_for("talk.txt", "talk.json")
    (folder / "part.partial.wav").write_bytes(wav(1))
    watcher.wait_for("part.partial.txt", "part.partial.json")
    (folder / "part.wav").write_bytes(wav(1))
    watcher.wait_for("part.txt", "part.json")
    watcher.never("no.txt", 0.2)
    check((folder / "part.partial.txt").exists(), "a whole result was taken for a part", watcher)
    return watcher.stop()


def links_and_places():
    """Links that lead elsewhere are not followed unless told; what one file's result cannot be is that file's."""
    outside = pathlib.Path("outside")
    outside.mkdir()
    (outside / "secret.wav").write_bytes(wav(0.5))
    watcher = Watcher("places", "-r", "-o", "placed", "--format", "json")
    folder, results = watcher.folder, pathlib.Path("placed")
    os.symlink(outside.absolute(), folder / "sub")
    os.symlink("/proc", folder / "proc")
    os.symlink((outside / "secret.wav").absolute(), folder / "pointed.wav")
    (results / "taken.json").mkdir(parents=True)
    (folder / "taken.wav").write_bytes(wav(0.5))
    long_name = "n" * 251 + ".wav"
    (folder / long_name).write_bytes(wav(0.5))
    (folder / "zz.wav").write_bytes(wav(0.5))
    watcher.until((results / "zz.json").exists, "a file behind one whose result has no place is not done")
    watcher.until(lambda: watcher.said("too long", f"places/{long_name}"), "a name too long")
    watcher.until(lambda: watcher.said("found a folder", "places/taken.wav"), "a folder in a result's place")
    for link in ("sub", "proc", "pointed.wav"):
        watcher.until(lambda link=link: watcher.said("not followed", f"places/{link}"), f"{link} is not told")
    second = subprocess.run(command("--watch", "places", "-o", "placed", "--format", "json"), env=ENVIRONMENT, timeout=patience(30),
                            capture_output=True, text=True, check=False)
    check(second.returncode == 2 and "watched by another process" in second.stderr, f"a second watcher: {second}")
    watcher.never("no.txt", 0.2)
    check(not list(results.rglob("secret*")) and not (results / "pointed.json").exists(), "a link was followed", watcher)
    watcher.stop()
    (folder / "proc").unlink()
    watcher = Watcher("places", "-r", "-o", "placed", "--format", "json", "--skip-existing", "--follow-links")
    watcher.until((results / "sub/secret.json").exists, "--follow-links follows no link")
    watcher.until((results / "pointed.json").exists, "--follow-links follows no link to a file")
    return watcher.stop()


def burst():
    """100 files at once, by name of their results below --output-dir, and folders that come meanwhile."""
    watcher = Watcher("many", "-r", "-o", "results", "--format", "txt")
    one = wav(0.1)
    for i in range(100):
        (watcher.folder / f"{i}.wav").write_bytes(one)
    deep = watcher.folder / "sub/deep"
    deep.mkdir(parents=True)
    (deep / "first.wav").write_bytes(one)
    shutil.copytree(deep, watcher.folder / "copied/again")
    results = pathlib.Path("results")
    for name in [*(f"{i}.txt" for i in range(100)), "sub/deep/first.txt", "copied/again/first.txt"]:
        watcher.until((results / name).exists, f"{name} does not come", 60)
    # A folder that is renamed is watched under its new name, one that is removed is forgotten.
    os.rename(watcher.folder / "sub", watcher.folder / "bus")
    watcher.until((results / "bus/deep/first.txt").exists, "a renamed folder is not looked into")
    (watcher.folder / "bus/deep/second.wav").write_bytes(one)
    watcher.until((results / "bus/deep/second.txt").exists, "a renamed folder is not watched")
    shutil.rmtree(watcher.folder / "copied")
    # More happens than the kernel keeps: it is looked again.
    watcher.process.send_signal(signal.SIGSTOP)
    limit = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    for i in range(limit // 2 + 10 if limit <= 32768 else 0):
        (watcher.folder / f"{i}.x").touch()
    (watcher.folder / "late.wav").write_bytes(one)
    watcher.process.send_signal(signal.SIGCONT)
    watcher.until((results / "late.txt").exists, "what came when the queue was full is lost")
    return watcher.stop(signal.SIGINT)


def stopped_in_a_file():
    watcher = Watcher("long", "-o", "parts", "--format", "txt")
    (watcher.folder / "hour.wav").write_bytes(wav(3600))
    (watcher.folder / "next.wav").write_bytes(wav(1))
    watcher.until(lambda: watcher.said("detected language", "long/hour.wav"), "an hour is not begun")
    took = watcher.stop()
    check(not pathlib.Path("parts/hour.txt").exists(), "an hour was done in a second", watcher)
    check(not pathlib.Path("parts/next.txt").exists(), "a stopped program went on", watcher)
    check(watcher.said("stopped"), "a stopped file is not told", watcher)
    return took


def folder_gone():
    for name, end in (("gone", shutil.rmtree), ("moved", lambda path: os.rename(path, "away"))):
        watcher = Watcher(name)
        end(name)
        code = watcher.process.wait(patience(20))
        check(code == 4 and watcher.said("expected the watched folder to stay"), f"{name}: {code}", watcher)


subprocess.run([NANO, "."], check=True)
for test in (refusals, as_they_come, gone_and_back, burst, stopped_in_a_file, folder_gone, links_and_places):
    begin = time.monotonic()
    took = test()
    print(f"watch: {test.__name__}: ok ({time.monotonic() - begin:.1f} s)" + (f", ended {took:.2f} s after the signal" if took else ""),
          flush=True)
