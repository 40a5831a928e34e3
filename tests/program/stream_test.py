#!/usr/bin/env python3
"""`whisper-npu stream` as a program: bytes in any pieces, other rates, feeders that stop, signals, readers
that go away, microphones. ctest runs it: stream_test.py PROGRAM WRITE_MODELS"""
import array
import ctypes
import json
import math
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

from patience import PATIENCE_S, patience

PROGRAM, WRITE_MODELS = sys.argv[1:3]
LIMIT_S = patience(2)
RAW = ["--stdin-format", "s16le:16000:1"]
# Speech, a pause, speech; under an emulator, which takes minutes for each run, speech and a pause.
SECONDS = 4 if os.environ.get("WNPU_TEST_EMULATOR") else 7


def bursts(seconds, rate=16000, seed=1):
    """A tone that comes and goes, over a little noise: for loudness, speech."""
    values = random.Random(seed)
    return array.array("h", (int((9000 * math.sin(i * 0.2 * 16000 / rate) if i // rate % 3 else 0) + values.gauss(0, 5))
                             for i in range(int(seconds * rate)))).tobytes()


def wav(samples, rate=16000, channels=1, size=None):
    size = len(samples) if size is None else size
    return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", (size + 36) % 2**32, b"WAVE", b"fmt ", 16, 1, channels, rate,
                       2 * rate * channels, 2 * channels, 16, b"data", size) + samples


def command(*options):
    # Random weights doubt all that they say, and hear nothing in some whole windows.
    return [PROGRAM, "stream", "--model", "models/multilingual.bin", "--language", "en", "--threads", "1", "--logprob-threshold", "None",
            "--compression-ratio-threshold", "None", "--no-speech-threshold", "None", "--pool-padding", "True", *options]


def run(audio, *options, code=0, says="", pieces=None):
    process = subprocess.Popen(command(*options), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if pieces is None:
        out, err = process.communicate(audio)
    else:
        at = 0
        try:
            while at < len(audio):
                n = pieces()
                process.stdin.write(audio[at:at + n])
                process.stdin.flush()
                at += n
        except BrokenPipeError:
            pass
        process.stdin.close()
        process.stdin = None
        out, err = process.communicate()
    err = err.decode()
    assert process.returncode == code, f"{options}: expected exit code {code}, found {process.returncode}: {err}"
    assert says in err, f"{options}: expected {says!r}, found {err!r}"
    return out.decode()


def events(out):
    return [json.loads(line) for line in out.splitlines()]


def check_events(found, seconds):
    last, is_partial = 0.0, False
    for event in found:
        assert event["type"] in ("partial", "final") and event["language"] == "en", event
        assert event["words"] or event["type"] == "partial" and is_partial, "nothing was there to be taken back"
        is_partial = event["type"] == "partial" and event["words"]
        at = last
        for word in event["words"]:
            assert at <= word["start"] + 1e-9 <= word["end"] + 2e-9 <= seconds + 1e-3, (at, event)
            at = word["end"]
        assert event["text"] == "".join(word["word"] for word in event["words"])
        if event["type"] == "final":
            last = at


def without_work(found):
    return [{name: value for name, value in event.items() if name != "work"} for event in found]


def test_pieces_and_rates():
    samples = bursts(SECONDS)
    paced = ["--format", "jsonl", "--pace", "audio"]
    whole = events(run(samples, *RAW, *paced))
    assert any(event["type"] == "final" for event in whole), "nothing was heard"
    check_events(whole, SECONDS)
    values = random.Random(3)
    for audio, options in ((samples, RAW), (wav(samples), []), (wav(samples, size=0), []), (wav(samples, size=2**32 - 1), [])):
        again = events(run(audio, *options, *paced, pieces=lambda: values.randint(1, 9999)))
        assert without_work(again) == without_work(whole), "other pieces, other events"
    odd = events(run(samples[:60001], *RAW, *paced, pieces=lambda: 1, says="1 bytes more at the end"))
    assert without_work(odd) == without_work(events(run(samples[:60000], *RAW, *paced)))
    texts = "".join(event["text"] for event in whole if event["type"] == "final")
    lines = run(samples, *RAW, "--pace", "audio")
    assert "".join(lines.split()) == "".join(texts.split()), (lines, texts)
    check_events(events(run(bursts(3, 44100), "--stdin-format", "s16le:44100:1", *paced)), 3)
    check_events(events(run(samples, *RAW, "--format", "jsonl")), SECONDS)  # live, and as fast as it comes


def test_silence():
    assert run(bytes(16000 * 2 * 20), *RAW) == ""
    assert run(b"", *RAW) == ""


def test_refusals():
    run(b"fLaC" + bytes(100), code=4, says="ffmpeg -i - -f s16le")
    run(b"", code=4, says="expected a WAV header")
    run(wav(bytes(10), channels=0), code=4, says="channels")
    run(b"", "--stdin-format", "s16le", code=2, says="--stdin-format")
    run(b"", *RAW, "--device-input", "default", code=2, says="--device-input")
    run(b"", *RAW, "--vad-model", "none", code=3, says="none")
    run(b"", *RAW, "talk.wav", code=2, says="expected no files")
    run(b"", *RAW, "--pace", "slow", code=2, says="--pace")
    run(b"", *RAW, "--min-chunk", "0", code=2, says="--min-chunk")
    run(b"", *RAW, "--model", "models/tiny.en", "--language", "de", code=2, says="language")
    nan = struct.pack("<f", math.nan) * 1000
    run(nan, "--stdin-format", "f32le:16000:1", code=4, says="expected finite samples")


def test_errors_in_the_middle():
    """Of any number of samples before it: what was heard is told, then the error."""
    samples = array.array("f", (value / 32768 for value in array.array("h", bursts(3))))
    samples[40000] = math.nan
    values = random.Random(4)
    counts = [lambda: 4 * 512, lambda: 4 * 1600, *3 * [lambda: values.randint(1, 9999)]]
    for pace, pieces in zip(("audio", "live", "audio", "live", "live"), counts):
        out = run(samples.tobytes(), "--stdin-format", "f32le:16000:1", "--pace", pace, "--format", "jsonl", code=4,
                  says="expected finite samples", pieces=pieces)
        assert any(event["type"] == "final" for event in events(out)), out


def lines_within(process, seconds):
    """What comes out in so much time, without waiting for an end."""
    os.set_blocking(process.stdout.fileno(), False)
    end, found = time.monotonic() + seconds, b""
    while time.monotonic() < end and b'"final"' not in found:
        found += process.stdout.read() or b""
        time.sleep(0.05)
    return found


def start(*options, quiet=("-q",)):
    return subprocess.Popen(command("--format", "jsonl", *quiet, *options), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def test_feeder_that_stops():
    """Speech that is over becomes final while stdin stays open."""
    process = start(*RAW)
    process.stdin.write(bursts(3.6))  # 0.6 s of silence at the end
    process.stdin.flush()
    found = lines_within(process, patience(20))
    assert b'"final"' in found, found
    process.kill()
    process.communicate()


def test_signals():
    """What was heard becomes final, and the exit code tells the signal."""
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start(*RAW, "--min-chunk", "10", "--vad-min-silence-duration-ms", "10000")
        process.stdin.write(bursts(3))
        process.stdin.flush()
        time.sleep(patience(1))
        at = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
        took = time.monotonic() - at
        assert process.returncode == 128 + number, (process.returncode, err)
        assert b'"final"' in out, (out, err)
        assert took < LIMIT_S, f"{took:.2f} s from the signal to the end"
        print(f"signal {number}: {took:.2f} s")
    process = start(quiet=())  # of a WAV that was to be longer: who stops it knows
    process.stdin.write(wav(bursts(3), size=320000))
    process.stdin.flush()
    time.sleep(patience(1))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and b'"final"' in out and b"by the header" not in err, (out, err)
    run(wav(bursts(3), size=10 * 32000), says="stdin: ")
    process = start()  # nothing of a header came
    time.sleep(patience(0.5))
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE_S)  # before stdin ends as well
    _, err = process.communicate()
    assert (process.returncode, err) == (130, b""), err


def test_reader_that_goes_away():
    process = start(*RAW)
    process.stdin.write(bursts(1))
    process.stdin.flush()
    process.stdout.close()
    assert process.wait(PATIENCE_S) == 141


def test_microphones():
    """ALSA's own plugins stand in for a device: "file" plays a file, as fast as it is read."""
    run(b"", "--device-input", "nobody", code=5, says="--device-input nobody: expected a device")
    pathlib.Path("sound.raw").write_bytes(bursts(4))
    pathlib.Path("alsa.conf").write_text(
        "</usr/share/alsa/alsa.conf>\n"
        'pcm.played { type file slave.pcm { type null } file "/dev/null" infile "sound.raw" format "raw" }\n')
    process = subprocess.Popen(command("--format", "jsonl", "--device-input", "played"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=os.environ | {"ALSA_CONFIG_PATH": "alsa.conf"})
    found = lines_within(process, patience(20))
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 130, (process.returncode, err)
    assert b'"final"' in found + out, (found, out, err)


def has_alsa():
    """Whether the program can load it. Under an emulator it is of another architecture than this Python."""
    if not os.path.exists("/usr/share/alsa/alsa.conf"):
        return False
    if os.environ.get("WNPU_TEST_EMULATOR"):
        return os.path.exists("/usr/lib/aarch64-linux-gnu/libasound.so.2")
    try:
        ctypes.CDLL("libasound.so.2")
    except OSError:
        return False
    return True


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder + "/cache"
        os.mkdir("models")
        subprocess.run([WRITE_MODELS, "models"], check=True)
        tests = [test for name, test in globals().items() if name.startswith("test_")]
        for test in tests:
            if test is test_microphones and not has_alsa():
                run(b"", "--device-input", "default", code=8, says="libasound2")
                continue
            at = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - at:.1f} s", flush=True)


if __name__ == "__main__":
    main()
