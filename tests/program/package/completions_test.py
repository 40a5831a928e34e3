"""completions_test.py FOLDER SHELL: what SHELL offers at the TAB key with the script in FOLDER, in the
shell itself. Exit code 77: the shell is not installed."""
import concurrent.futures
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from patience import PATIENCE_S

folder, shell = os.path.abspath(sys.argv[1]), sys.argv[2]

# The line so far, and what must be offered, and what must not.
CASES = [
    ("whisper-npu transcr", ["transcribe"], []),
    ("whisper-npu npu p", ["predict"], ["plan"]),
    ("whisper-npu npu op v", ["validate"], []),
    ("whisper-npu transcribe --precision int", ["int16", "int8"], ["fp32"]),
    ("whisper-npu transcribe --npu-pl", ["--npu-plan", "--npu-plan-file"], ["--npu-preset"]),
    ("whisper-npu --beam", ["--beam-size"], []),
    ("whisper-npu npu predict --sim", ["--simulate"], []),
    ("whisper-npu models pu", ["pull"], ["path"]),
    ("whisper-npu models pull distil-large", ["distil-large-v2", "distil-large-v3.5"], ["distil-medium.en", "talk.wav"]),
    ("whisper-npu transcribe --model distil-large", ["distil-large-v2", "distil-large-v3.5"], ["tiny.en", "silero-vad"]),
    ("whisper-npu --model min", ["mine.wnpu"], ["tiny.en"]),
    ("whisper-npu bench --model min", ["mine.wnpu"], ["talk.wav"]),
    ("whisper-npu stream --model tal", ["talk.wav"], ["mine.wnpu"]),
    ("whisper-npu transcribe talk", ["talk one.wav", "talk.wav"], ["other.txt"]),
    ("whisper-npu transcribe --output ot", ["other.txt"], ["talk.wav"]),
]


def offered_by_bash(line):
    script = f"""source {folder}/whisper-npu
COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_whisper_npu
printf '%s\\n' "${{COMPREPLY[@]}}" """
    out = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    return out.stdout.splitlines()


def offered_by_fish(line):
    script = f"source {folder}/whisper-npu.fish; complete -C '{line}'"
    out = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True)
    return [each.split("\t")[0].replace("\\ ", " ") for each in out.stdout.splitlines()]


def offered_by_zsh(line):
    """zsh completes in its line editor alone: in a terminal, with the list that it prints."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="vt100", PS1="", ZDOTDIR="/nonexistent", COLUMNS="200", LINES="50")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    # A prompt comes when the editor has the terminal: what is typed before, the terminal keeps.
    setup = (f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; setopt nobeep nolistambiguous; "
             "zstyle ':completion:*' list-separator '|'; stty cols 300 rows 60; PROMPT='rea''dy>'\n")
    read_until(terminal, setup, lambda text, _: "ready>" in text)
    answer = read_until(terminal, line + "\t", lambda _, silent_s: silent_s > 2)
    os.close(terminal)
    os.waitpid(pid, 0)
    return answer.replace("\0", "").replace("\\ ", " ")


def read_until(terminal, words, is_enough):
    """What comes after words until is_enough of it, and of the seconds since the last of it, says so."""
    os.write(terminal, words.encode())
    text, begin = "", time.monotonic()
    last = begin
    while not is_enough(text, time.monotonic() - last):
        assert time.monotonic() - begin < PATIENCE_S, text
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
            last = time.monotonic()
    return text


def main():
    if shutil.which(shell) is None:
        print(f"SKIP: {shell} is not installed")
        return 77
    offered_by = {"bash": offered_by_bash, "fish": offered_by_fish, "zsh": offered_by_zsh}[shell]
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name in ("talk.wav", "talk one.wav", "other.txt"):
            open(name, "w", encoding="utf-8").close()
        # The program, as the scripts ask it for the models that are here.
        os.mkdir("bin")
        with open("bin/whisper-npu", "w", encoding="utf-8") as program:
            program.write('#!/bin/sh\n[ "$*" = "models list --here --names" ] && echo mine.wnpu\n')
        os.chmod("bin/whisper-npu", 0o755)
        os.environ["PATH"] = os.path.abspath("bin") + ":" + os.environ["PATH"]
        # Several at once: zsh's answers are waited for, which takes no time of a CPU.
        with concurrent.futures.ThreadPoolExecutor(5) as threads:
            answers = list(threads.map(offered_by, (line for line, _, _ in CASES)))
        for (line, wanted, unwanted), offered in zip(CASES, answers):
            for word in wanted:
                if word not in offered:
                    print(f"{shell}: {line}: expected {word} to be offered, found {offered!r}")
                    failures += 1
            for word in unwanted:
                if word in offered:
                    print(f"{shell}: {line}: expected {word} not to be offered, found {offered!r}")
                    failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
