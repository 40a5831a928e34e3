"""Values of every option of transcribe, within, at and beyond their borders.

The list of options is the one that --help prints: an option that is new there and has no values here
is an error, so that none goes untested.
"""
import re
import subprocess

FORMATS = ["txt", "srt", "vtt", "tsv", "json", "jsonl", "lrc", "csv"]  # of files

# What no number is, or none that makes sense.
ODD_NUMBERS = ["", " ", "-1", "-0", "0", "+1", "1e308", "1e-308", "1e400", "nan", "inf", "-inf", "0x10", "1,5",
               "1 ", " 1", "1.", ".5", "1e", "٣", "18446744073709551615", "18446744073709551616",
               "9223372036854775808", "4294967296", "99999999999999999999999", "None", "none", "True", "one", "--"]
ODD_TEXTS = ["", " ", "-", "--", "a", " so", "\n", "\t", "'", "\"", "=", "a=b", "💬 ü", "\u3000", "<|endoftext|>",
             "<|0.00|>", "x" * 5000, "\x01", b"\xff\xfe".decode("utf-8", "surrogateescape"), "--threads", "-q"]
LANGUAGES = ["en", "English", "de", "yue", "auto", "None"]
ODD_LANGUAGES = ["", "EN", "klingon", "e", "en,de", "--", "zh-TW", "cantonese", "castilian", "jw"]


def number(low, high, borders=(), integer=False, none=False):
    """Values of a number between low and high, both ends included."""
    def usual(rng):
        if none and rng.random() < 0.2:
            return "None"
        if rng.random() < 0.2:
            return str(rng.choice([low, high]))
        return str(rng.randint(low, high)) if integer else f"{rng.uniform(low, high):.4g}"

    def odd(rng):
        step = 1 if integer else 1e-6
        return rng.choice([str(low - step), str(high + step), *map(str, borders), *ODD_NUMBERS])
    usual.is_number = True  # in a configuration file
    return usual, odd


def choice(*names, odd=()):
    wrong = [*odd, "", "None", "0", "x", names[0].upper(), names[0] + " ", names[0] + "," + names[-1]]
    return (lambda rng: rng.choice(names)), (lambda rng: rng.choice(wrong))


def text(*usual):
    return (lambda rng: rng.choice(usual)), (lambda rng: rng.choice(ODD_TEXTS))


def tokens():
    def usual(rng):
        return rng.choice(["-1", "", "0", ",".join(str(rng.randrange(50000)) for _ in range(rng.randint(1, 5)))])
    odd = ["-2", "999999", "51864", "51865", "51866", "-1,-1", "1,", ",", "1,,2", "2147483648", "x", "1 2", "-1,50257",
           "50256", ",".join(map(str, range(3000)))]
    return usual, (lambda rng: rng.choice(odd))


def clips():
    def usual(rng):
        ends = sorted(round(rng.uniform(0, 3), 2) for _ in range(rng.randint(1, 5)))
        return ",".join(map(str, ends))
    odd = ["", ",", "0,", "5,1", "-1,2", "nan", "0,1e308", "1e9", "0,0", "0,0,0,0", "29.99,30.01", "30", "0,inf", "a,b",
           ",".join(["0"] * 2000)]
    return usual, (lambda rng: rng.choice(odd))


def raw_format():
    odd = ["", ":", "s16le", "s16le:16000", "s16le:0:1", "s16le:-1:1", "s16le:16000:0", "s16le:16000:1:1", "S16LE:16000:1",
           "s16le:384001:1", "s16le:16000:65", "s16le:16000:1000000", "s16le:1e4:1", "x:16000:1"]
    return text("s16le:16000:1", "f32le:8000:2", "u8:384000:1", "s24be:1:1")[0], (lambda rng: rng.choice(odd))


BOOL = choice("True", "False", "true", "false", odd=("1", "yes", "None"))
FLAG = None  # an option without a value

VALUES = {
    "--help": FLAG, "--config": text("", "missing.toml"), "--stdin-format": raw_format(),
    "--model": text("tiny.en", "{models}/multilingual.bin", "{models}/int8", "{models}/head64", "{models}/wide"),
    "--model-dir": text("{models}", "missing", "."),
    "--yes": FLAG, "--offline": FLAG, "--allow-urls": FLAG, "--max-download": choice("1", "1K", "4G", odd=("0", "-1", "x")),
    "--fp16": BOOL, "--isolate": choice("auto", "on", "off"), "--audio-track": number(0, 3, (100,), integer=True),
    "--container-times": BOOL, "--max-duration": choice("60", "86400", "1e8", odd=("0.5", "-1", "1e9")),
    "--device": choice("cpu", "cpu", "cpu", "auto", "sim", "npu", "npu:0,npu:1", "cpu,npu", "ort:none",
                       odd=("gpu", "ort:", "ort:a/b", "cuda", "sim:0", "npu:", "npu:0,sim", "sim:99", "cpu,", "cpu,cpu", "sim,cpu")),
    "--gemm": choice("own", "blas"),
    "--precision": choice("fp32", "int16", "int8", "auto"),
    "--threads": number(0, 8, (1024, 1025, 999), integer=True),
    "--npu-plan": choice("fused", "batched", "hybrid", odd=("per-op", "none")),
    "--npu-precision": choice("bf16", "int8"),
    "--npu-plan-file": text("missing.json", "."),
    "--optimize-for": choice("speed", "accuracy", "memory"),
    "--memory-limit": choice("1G", "200M", "64M", "8388608", "1K", odd=("0", "1T", "-1", "M", "99999999999G")),
    "--npu-preset": text("phoenix-1.0/goal", "hawk-1.6/open-source", "phoenix-1.0/published", "npu4/published"),
    "--xclbin": text("missing.xclbin", "."),
    "--npu-operator": text("gelu=gelu", "gelu=none", "silu=gelu"), "--operator": text("missing.so", "."),
    "--ort-library": text("missing.so", "."), "--ort-plugin": text("missing.so", "."),
    "--ort-option": choice("key=value", "key=", odd=("key", "=value")),
    "--ort-weights": choice("fp32", "fp16", odd=("int8",)),
    "--fallback": choice("none", "cpu"),
    "--device-split": choice("windows", "layers", "heads", "auto", odd=("rows",)),
    "--cpu-window-ms": number(0.0, 900.0, (1e6, 1000001)), "--npu-window-ms": number(0.0, 900.0, (1e6, 1000001)),
    "--task": choice("transcribe", "transcribe", "translate"),
    "--language": ((lambda rng: rng.choice(LANGUAGES)), (lambda rng: rng.choice(ODD_LANGUAGES))),
    "--no-timestamps": FLAG,
    "--initial-prompt": text("Hello,", " so", "ü 日本", "-dash", "x " * 600),
    "--carry-initial-prompt": BOOL, "--condition-on-previous-text": BOOL,
    "--hotwords": text("wordy", "a b c", "y " * 600),
    "--prefix": text("And so", " z", "w " * 600),
    "--language-detection-threshold": number(0.0, 1.0),
    "--language-detection-segments": number(1, 64, integer=True),
    "--multilingual": BOOL,
    "--clip-timestamps": clips(), "--pool-padding": BOOL,
    "--beam-size": number(1, 6, (64, 65), integer=True, none=True), "--best-of": number(1, 4, (64, 65), integer=True, none=True),
    "--patience": number(0.1, 3.0, (100, 101, 0.05), none=True),
    "--length-penalty": number(0.0, 2.0, (-5, 1e9), none=True),
    "--temperature": number(0.0, 1.0), "--temperature-increment-on-fallback": number(0.3, 1.0, (1e-9, 0.001), none=True),
    "--compression-ratio-threshold": number(0.1, 3.0, none=True),
    "--logprob-threshold": number(-20.0, 0.0, none=True), "--no-speech-threshold": number(0.0, 1.0, none=True),
    "--suppress-tokens": tokens(), "--seed": number(0, 1 << 62, integer=True),
    "--repetition-penalty": number(0.1, 10.0), "--no-repeat-ngram-size": number(0, 5, (448, 1000), integer=True),
    "--max-tokens": number(0, 224, (225, 448), integer=True),
    "--word-timestamps": BOOL,
    "--prepend-punctuations": text("\"'“¿([{-", "abc", "."), "--append-punctuations": text("\"'.。,", "xyz", " "),
    "--hallucination-silence-threshold": number(0.0, 3.0, none=True),
    "--batch-size": number(1, 4, (64, 65), integer=True),
    "--channels": choice("mix", "separate", odd=("left", "stereo")),
    "--speakers": choice("auto", "1", "2-4", odd=("0", "21", "3-2", "2-", "-2", "two", "1-2-3")),
    "--speaker-names": choice("left=Anna,right=Ben", "1=Anna", odd=("Anna", "=", "left=", "3=A,3=B", "1=A,2=A", "x=A")),
    "--speaker-model": text("missing", "{models}/wide"),
    "--vad": BOOL, "--vad-model": text("{models}/silero_vad/silero_vad_16k.safetensors", "missing", "{models}/wide"),
    "--vad-threshold": number(0.0, 1.0), "--vad-neg-threshold": number(0.0, 1.0, none=True),
    "--vad-min-speech-duration-ms": number(0.0, 2000.0, (1e6, 1000001)),
    "--vad-min-silence-duration-ms": number(0.0, 2000.0, none=True),
    "--vad-speech-pad-ms": number(0.0, 1000.0, (1e6, 1000001)),
    "--max-line-width": number(1, 80, (100000, 100001), integer=True, none=True),
    "--max-line-count": number(1, 5, (100000, 100001), integer=True, none=True),
    "--max-words-per-line": number(1, 9, (100000, 100001), integer=True, none=True),
    "--highlight-words": BOOL,
    "--subtitle-rules": choice("plain", "netflix", "bbc", odd=("missing.toml", ".toml", "netflix.toml")),
    "--format": choice("all", "text", *FORMATS, "srt,json", "txt,vtt",
                       odd=("xml", ",", "json,", "json,json")),
    "--output-dir": text("out", ".", "new/er", "out/", "./out"),
    "--output": text("one.json", "one.txt", "one.srt", "-", "/dev/null", "/dev/stdout", "out/one.vtt", "one"),
    "--output-template": text("{dir}/{stem}.{ext}", "out/{n}-{name}.{ext}", "{stem}.{lang}.{ext}", "out/{task}/{stem}.srt"), "--beside": FLAG,
    "--manifest": text("missing.jsonl", "."), "--shard": text("1/2", "auto", "3/2"), "--resume": text("missing.jsonl"),
    "--retry-failed": FLAG, "--summary": text("summary.json"), "--batch-seconds": number(1.0, 300.0, (1e6, 1000001)),
    "--order": choice("input", "done"), "--max-attempts": number(1, 5, (100, 101), integer=True),
    "--row-timeout": number(0.0, 300.0, (1e8, 1e9)), "--row-timeout-factor": number(0.0, 10.0, (1e6, 1e7)),
    "--watch": text("missing"), "--recursive": FLAG, "--follow-links": FLAG, "--headers": choice("auto", "on", "off"),
    "--color": choice("auto", "never", "always"), "--log-format": choice("json", "text"),
    "--overwrite": FLAG, "--skip-existing": FLAG, "--verbose": BOOL, "--quiet": FLAG, "--dry-run": FLAG,
}
# Options that replace, select or stop the work, and so are the scenario's, not drawn with the others.
SCENARIO = {"--help", "--config", "--model", "--model-dir", "--stdin-format", "--output", "--output-dir", "--output-template", "--beside", "--overwrite",
            "--skip-existing", "--dry-run", "--device", "--yes", "--watch", "--manifest", "--shard", "--resume", "--retry-failed", "--summary",
            "--batch-seconds", "--order", "--max-attempts", "--row-timeout", "--row-timeout-factor"}

# Taken from the command line alone.
NO_SETTING = {"--help", "--config", "--overwrite", "--watch", "--manifest", "--shard", "--resume", "--retry-failed", "--summary"}


def listed(program):
    """{long name: other names} of what transcribe --help lists."""
    out = subprocess.run([program, "transcribe", "--help"], capture_output=True, check=True).stdout.decode()
    names = {}
    for line in re.findall(r"^  (-[-\w,]+)", out, re.M):
        spellings = line.split(",")
        longest = [name for name in spellings if name.startswith("--")]
        names[longest[0]] = [name for name in spellings if name != longest[0]]
    return names


def check_complete(program):
    """Fails where the program and VALUES do not name the same options."""
    there, known = set(listed(program)), set(VALUES)
    if there != known:
        raise SystemExit(f"tests/property/option_values.py: options without values: {sorted(there - known)}; "
                         f"values without an option: {sorted(known - there)}")
