"""memory_fit_test.py PROGRAM WRITE_MODELS: --memory-limit on the CPU. Over random options the peak of a run's
memory stays below what JSON says was estimated; what cannot fit is refused before work with the smallest limit
that would do, and with that limit the run is as good as its word; less log-mel and smaller batches change no text."""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

if os.environ.get("WNPU_TEST_EMULATOR"):
    print(f"SKIP: {os.environ['WNPU_TEST_EMULATOR']} runs the program, and its memory would be in each peak")
    sys.exit(77)
PROGRAM, WRITE_MODELS = (os.path.abspath(each) for each in sys.argv[1:3])
MIB = 1 << 20
work = tempfile.TemporaryDirectory(prefix="wnpu_fit.")
os.chdir(work.name)
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("WHISPER_NPU_")}
SAMPLES = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "whisper-npu"
ENVIRONMENT |= {"XDG_CACHE_HOME": work.name + "/cache", "WHISPER_NPU_CONFIG": ""}


def wav(path, seconds, rate=16000):
    """Written second by second: a child's peak of memory begins with what its parent has."""
    generator = random.Random(seconds)
    second = b"".join(struct.pack("<h", generator.randrange(-9000, 9000)) for _ in range(rate))
    size = seconds * len(second)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", size + 36, b"WAVE", b"fmt ", 16, 1, 1, rate, 2 * rate, 2,
                               16, b"data", size))
        for _ in range(seconds):
            file.write(second)


def run(words):
    """Exit code, stdout, stderr, peak resident bytes."""
    with open("out", "wb") as out, open("err", "wb") as err:
        child = subprocess.Popen([PROGRAM, "transcribe", "--device", "cpu", *words], stdout=out, stderr=err,
                                 stdin=subprocess.DEVNULL, env=ENVIRONMENT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, pathlib.Path("out").read_text(), pathlib.Path("err").read_text(), usage.ru_maxrss * 1024


def check(condition, text):
    if not condition:
        sys.exit(f"memory_fit: {text}")


def limited(words, limit):
    code, out, err, peak = run([*words, "--format", "json", "--memory-limit", limit])
    check(code == 0, f"{words} {limit}: exit code {code}: {err}")
    choices = json.loads(out)["choices"]
    check(peak <= choices["memory_estimate"], f"{words} {limit}: a peak of {peak / MIB:.0f} MiB, estimated "
          f"{choices['memory_estimate'] / MIB:.0f} MiB")
    check(choices["memory_estimate"] <= choices["memory_limit"], f"{words} {limit}: {choices}")
    return json.loads(out), peak


def smallest(words):
    code, out, err, peak = run([*words, "--memory-limit", "1M"])
    found = re.search(r"--memory-limit: expected at least (\d+)M .*, found 1048576 bytes", err)
    check(code == 7 and not out and found, f"{words}: expected a refusal, found exit code {code}: {err}")
    return int(found[1]), peak


def random_words(generator):
    words = ["--model", generator.choice(["cache/whisper-npu/tiny.en", "cache/whisper-npu/multilingual.bin",
                                          "cache/whisper-npu/wide", "cache/whisper-npu/int8"]),
             "--max-tokens", str(generator.choice([8, 24])), "--language", "en",
             "--precision", generator.choice(["auto", "fp32", "int16", "int8"]),
             "--beam-size", str(generator.randint(1, 16)), "--threads", str(generator.randint(1, 4)),
             "--word-timestamps", generator.choice(["True", "False"])]
    if generator.random() < 0.5:
        words += ["--temperature-increment-on-fallback", "None"]
    else:
        words += ["--temperature-increment-on-fallback", "1", "--best-of", str(generator.randint(1, 12))]
    if generator.random() < 0.6:
        words += ["--batch-size", str(generator.randint(2, 12)), "--clip-timestamps", "0,20,20,40,40,60,60"]
    return [*words, generator.choice(["short.wav", "long.wav", "other_rate.wav"])]


def text_of(words):
    code, out, err, _ = run([*words, "--format", "json"])
    check(code == 0, f"{words}: exit code {code}: {err}")
    return json.loads(out)


def random_runs(n_cases):
    generator = random.Random(20261125)
    for _ in range(n_cases):
        words = random_words(generator)
        roomy, _ = limited(words, "64G")
        least, refused_peak = smallest(words)
        check(refused_peak <= least * MIB, f"{words}: the refusal itself took {refused_peak / MIB:.0f} MiB")
        tight, _ = limited(words, f"{least}M")
        code, _, err, _ = run([*words, "--memory-limit", f"{least - 1}M"])
        check(code == 7, f"{words}: a MiB less than the smallest limit gives exit code {code}: {err}")
        if "auto" not in words:
            check(roomy["text"] == tight["text"], f"{words}: another text in less memory")


def batches_shrink():
    words = ["--model", "cache/whisper-npu/wide", "--precision", "fp32", "--language", "en", "--max-tokens", "8",
             "--beam-size", "8", "--temperature-increment-on-fallback", "None", "--batch-size", "16",
             "--clip-timestamps", "0,5,5,10,10,15,15,20,20,25,25,30", "long.wav"]
    least, _ = smallest(words)
    tight, _ = limited(words, f"{least}M")
    chosen = {each["option"]: each for each in tight["choices"]["options"]}
    check(chosen["--batch-size"] == {"option": "--batch-size", "value": "2", "reason": "--memory-limit"}, f"{chosen}")
    check(tight["text"] == text_of(words)["text"], "a smaller batch has another text")
    _, _, err, _ = run([*words, "--memory-limit", f"{least}M", "--verbose", "--format", "txt"])
    check("--memory-limit: --batch-size 2" in err and "MiB at most as estimated" in err, f"--verbose: {err}")


def real_model():
    """An estimate may not be so high that it says nothing: of real weights at most three times the peak."""
    if not (SAMPLES / "tiny.en").exists():
        return print("SKIP: no tiny.en in the cache folder")
    words = ["--model", str(SAMPLES / "tiny.en"), str(SAMPLES / "samples/jfk.wav")]
    for more in ([], ["--precision", "fp32"], ["--precision", "int8", "--beam-size", "1", "--best-of", "1"]):
        least, _ = smallest([*more, *words])
        found, peak = limited([*more, *words], f"{least}M")
        check("ask not what your country" in found["text"], found["text"])
        check(least * MIB <= 3 * peak, f"{more}: expected at most three times the peak of {peak / MIB:.0f} MiB, found {least}")


def long_recording():
    """Its log-mel is more than is kept of it, and is made again."""
    wav("half_hour.wav", 1800)
    words = ["--model", "cache/whisper-npu/tiny.en", "--max-tokens", "8", "--beam-size", "1", "--language", "en",
             "--temperature-increment-on-fallback", "None", "--clip-timestamps", "1700,1710", "half_hour.wav"]
    least, _ = smallest(words)
    _, peak = limited(words, "64G")
    tight, tight_peak = limited(words, f"{least}M")
    check(peak > tight_peak + 40 * MIB, f"log-mel that is not kept saves {(peak - tight_peak) / MIB:.0f} MiB")
    check(tight["text"] == text_of(words)["text"], "log-mel that is made again gives another text")


def refusals():
    tiny = ["--model", "cache/whisper-npu/tiny.en", "short.wav"]
    code, _, err, _ = run([*tiny, "--gemm", "blas", "--memory-limit", "8G"])
    check(code in (2, 8) and err, f"--gemm blas: exit code {code}: {err}")


subprocess.run([WRITE_MODELS, "cache/whisper-npu"], check=True)
wav("short.wav", 4)
wav("long.wav", 70)
wav("other_rate.wav", 6, 44100)
random_runs(5)
batches_shrink()
long_recording()
real_model()
refusals()
