"""page_test.py PROGRAM SOURCE PAGE: every block of commands (```sh) of PAGE ends well, in order, in a folder of its
own, and prints what the block of text (```text) behind it says, "..." standing for anything; in fp32, since int8's
commas are the CPU's. A block that needs what is not there (weights, jq) is left out and named."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, source = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
page = source / sys.argv[3]
cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "whisper-npu"
tool = shutil.which
# What a block needs that has such words, and whether it is there.
NEEDS = [
    (r"whisper-npu (?!npu )|tiny\.en", "tiny.en", (cache / "tiny.en/model.bin").exists()),
    (r"--model base", "base", (cache / "base/model.bin").exists()),
    (r"talk\.wav|film\.mkv|talks", "jfk.wav", (cache / "samples/jfk.wav").exists()),
    (r"film\.mkv|talks|ffmpeg", "ffmpeg", tool("ffmpeg")),
    (r"import_onnx", "onnx", subprocess.run(["python3", "-c", "import onnx"], stderr=subprocess.DEVNULL).returncode == 0),
    (r"\bjq\b", "jq", tool("jq")),
    (r"run\.sh", "mlir-opt", tool("mlir-opt-16") or tool("mlir-opt")),
    (r"lab_env\.sh", "tests/lab_env.sh", not subprocess.call(["bash", source / "tests/lab_env.sh", "--have"],
                                                             stdout=subprocess.DEVNULL)),
]


def prepare():
    pathlib.Path("bin").mkdir()
    os.symlink(program, "bin/whisper-npu")
    if os.environ.get("CXX"):
        os.symlink(tool(os.environ["CXX"]), "bin/c++")
    for name in ("models", "npu", "tests"):
        os.symlink(source / name, name)
    pathlib.Path("talks/2026").mkdir(parents=True)
    if not (cache / "samples/jfk.wav").exists():
        return
    for name in ("talk.wav", "talks/monday.wav"):
        shutil.copy(cache / "samples/jfk.wav", name)
    if tool("ffmpeg"):
        for words in (["talks/2026/tuesday.mp3"], ["-f", "lavfi", "-i", "color=black:s=64x48:r=5", "-shortest", "film.mkv"]):
            subprocess.run(["ffmpeg", "-v", "error", "-i", "talk.wav", *words], check=True, stdin=subprocess.DEVNULL)


def run(number, commands, expected):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"{page.name}: block {number} ended with {done.returncode}:\n{commands}{done.stderr[-1000:]}")
    pattern = ".*".join(re.escape(part) for part in (expected or "").split("..."))
    if expected is not None and not re.fullmatch(pattern, done.stdout, re.DOTALL):
        sys.exit(f"{page.name}: block {number}: expected\n{expected}found\n{done.stdout}{commands}")


blocks = re.findall(r"^```sh\n(.*?)^```\n(?:```text\n(.*?)^```$)?", page.read_text(encoding="utf-8"), re.M | re.S)
assert len(blocks) >= 9, f"{page}: expected blocks of commands, found {len(blocks)}"
left_out = []
with tempfile.TemporaryDirectory(prefix="wnpu_page.") as folder:
    os.chdir(folder)
    os.environ.update(PATH=f"{folder}/bin:{os.environ['PATH']}", TMPDIR=folder, WHISPER_NPU_PRECISION="fp32")
    prepare()
    for number, (commands, expected) in enumerate(blocks, 1):
        missing = [name for words, name, is_there in NEEDS if re.search(words, commands) and not is_there]
        if missing:
            left_out.append(f" block {number} ({', '.join(missing)})")
        else:
            run(number, commands, expected or None)
    os.chdir("/")
if left_out:
    print(f"SKIP: left out for want of what it needs:{','.join(left_out)}")
print(f"{page.name}: ok")
