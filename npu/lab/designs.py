"""Designs in, answers out: `whisper-npu npu predict --json` and `npu check --json` as a process that stays."""
import json
import pathlib
import subprocess
import sys

# Whisper's encoders: width, heads, layers. Hidden columns are four times the width, positions 1500.
SIZES = {"tiny": (384, 6, 4), "base": (512, 8, 6), "small": (768, 12, 12), "medium": (1024, 16, 24),
         "large-v3": (1280, 20, 32)}
FRAMES = 1500
TOGETHER = 16  # lines that wait for their answers: fewer bytes than a pipe holds


def add_output(parser, what):
    """Options -o and --overwrite."""
    parser.add_argument("-o", "--output", type=pathlib.Path, help=what)
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")


def require_free(args):
    """Ends the script before its work where its output is there already."""
    if args.output and args.output.exists() and not args.overwrite:
        sys.exit(f"{args.output}: is there already: --overwrite replaces it")


class Answers:
    """Answers by a command: Answers(program, "predict", "--simulate")."""

    def __init__(self, program, *words):
        self.process = subprocess.Popen([program, "npu", *words, "--json"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, designs):
        """The answers to designs, in their order. A line that is no design is an error of the caller."""
        answers = []
        for first in range(0, len(designs), TOGETHER):
            part = designs[first:first + TOGETHER]
            self.process.stdin.write("".join(json.dumps(design) + "\n" for design in part))
            self.process.stdin.flush()
            for design in part:
                line = self.process.stdout.readline()
                if not line:
                    raise SystemExit(f"{' '.join(self.process.args)}: ended with {self.process.wait()}")
                answers.append(json.loads(line))
                if "error" in answers[-1]:
                    raise SystemExit(f"{answers[-1]['error']}: {json.dumps(design)}")
        return answers
