"""faster_whisper_suite.py SOURCE MODEL: the tests of faster-whisper's source archive, run against the real
package and against ours with the import changed.

MODEL, a folder of tiny.en, stands for "tiny" and "tiny.en". Who passes with the real package has to pass with
ours, but for EXCEPTIONS; what fails with the real one too lacks the weights or recordings that it was
written for. Exit code 1 where that does not hold, or an exception is one no more."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

_TOKENIZER = "of faster-whisper's Tokenizer, which the engine keeps to itself"
EXCEPTIONS = {
    "test_tokenizer.test_suppressed_tokens_minus_1": _TOKENIZER,
    "test_tokenizer.test_suppressed_tokens_minus_value": _TOKENIZER,
    "test_tokenizer.test_split_on_unicode": _TOKENIZER,
    "test_transcribe.test_prefix_with_timestamps": "a prefix is openai-whisper's: before the first timestamp, and "
                                                   "not repeated in the text; faster-whisper's is behind it",
}

# Before the tests are read: a name becomes the folder, in both packages.
PLUGIN = """
import {package} as package

load = package.WhisperModel.__init__


def load_here(self, name, *arguments, **options):
    load(self, {model!r} if name in ("tiny", "tiny.en") else name, *arguments, **options)


package.WhisperModel.__init__ = load_here
"""


def outcomes(source, package, model):
    """Of each test: "passed", or how it failed."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for path in (source / "tests").rglob("*"):
            target = work / path.relative_to(source)
            if path.is_dir():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".py":
                text = re.sub(r"\bfaster_whisper\b", package, path.read_text(encoding="utf-8"))
                target.write_text(text, encoding="utf-8")
            else:
                target.write_bytes(path.read_bytes())
        (work / "named_here.py").write_text(PLUGIN.format(package=package, model=model), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "named_here",
                        "--continue-on-collection-errors", f"--junitxml={work}/result.xml", "tests"],
                       cwd=work, stdout=subprocess.DEVNULL, check=False,
                       env={**os.environ, "HF_HUB_OFFLINE": "1",
                            "PYTHONPATH": f"{work}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})
        return {of_case(case)[0]: of_case(case)[1]
                for case in xml.etree.ElementTree.parse(work / "result.xml").iter("testcase")}


def of_case(case):
    bad = case.find("failure") if case.find("failure") is not None else case.find("error")
    name = f"{case.get('classname')}.{case.get('name')}".removeprefix("tests.").strip(".")
    return name, "passed" if bad is None else (bad.get("message") or "").strip().splitlines()[0][:110]


def main():
    source, model = pathlib.Path(sys.argv[1]), sys.argv[2]
    theirs = outcomes(source, "faster_whisper", model)
    ours = outcomes(source, "whisper_npu", model)
    wrong = 0
    for name, real in sorted(theirs.items()):
        found = ours.get(name, "its file could not be read")
        if found == "passed":
            verdict = "STALE EXCEPTION" if name in EXCEPTIONS else "passed"
        elif name in EXCEPTIONS:
            verdict = f"excepted: {EXCEPTIONS[name]}"
        elif real != "passed":
            verdict = f"passes with neither: {real}"
        else:
            verdict = f"FAILED: {found}"
        wrong += verdict.startswith(("STALE", "FAILED"))
        print(f"{name}: {verdict}")
    n_passed = sum(ours.get(name) == "passed" for name in theirs)
    print(f"{len(theirs)} tests: {n_passed} passed, {len(EXCEPTIONS)} excepted, faster-whisper itself passed "
          f"{sum(real == 'passed' for real in theirs.values())}")
    return 1 if wrong or not theirs else 0


if __name__ == "__main__":
    sys.exit(main())
