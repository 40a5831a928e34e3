"""What the tests of app/cluster share: a manifest of short recordings, what one process makes of it, and
whether the shards' files are the same together."""
import json
import os
import subprocess
import sys
import tempfile
import time
import wave
from math import sin
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))
from patience import patience

RECIPES = Path(__file__).resolve().parents[2] / "app" / "cluster"
OPTIONS = ["--device", "cpu", "--precision", "fp32", "--language", "en", "--beam-size", "1",
           "--temperature-increment-on-fallback", "None", "--no-speech-threshold", "None", "--max-tokens", "8"]
PATIENCE_S = patience(120)  # busy machines
# Of exit codes (app/cli/README.md): the work is done, or would end in the same way.
FINAL_CODES = [0, 1, 2, 3, 4, 8]


def check(is_so, what):
    if not is_so:
        sys.exit(f"FAILED: {what}")


def wait_until(is_so, what):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        check(time.monotonic() < end, f"waited for: {what}")
        time.sleep(0.01)


def write_wav(path, seconds, pitch):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        samples = (int(8000 * sin(pitch * i)) for i in range(int(seconds * 16000)))
        file.writeframes(b"".join(s.to_bytes(2, "little", signed=True) for s in samples))


class Job:
    """A folder with a manifest of n_rows rows, one of which fails, and the options that it is done with."""

    def __init__(self, program, write_nano_model, n_rows):
        self.program = str(Path(program).resolve())
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.folder.chmod(0o755)
        self.model = self.folder / "model"
        subprocess.run([write_nano_model, self.folder], check=True)
        self.options = [*OPTIONS, "--model", str(self.model)]
        self.environment = dict(os.environ, WHISPER_NPU=self.program, WHISPER_NPU_CONFIG="")
        for i in range(4):
            write_wav(self.folder / f"{i}.wav", 1 + 0.7 * i, 0.05 * (i + 1))
        rows = [{"audio_filepath": f"{i % 4}.wav", "id": f"row {i}", "offset": 0.001 * (i // 4)}
                for i in range(n_rows)]
        rows[n_rows // 2]["audio_filepath"] = "missing.wav"
        self.n_rows = n_rows
        self.manifest = self.folder / "in.jsonl"
        self.manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run_alone(self):
        """id -> status and text, as one process says."""
        out = self.folder / "alone.jsonl"
        done = subprocess.run([self.program, "transcribe", "--manifest", self.manifest, "--resume", out,
                               *self.options, "--threads", "1"], env=self.environment, capture_output=True, text=True)
        check(done.returncode == 1, f"alone: expected exit code 1, found {done.returncode}: {done.stderr}")
        return self.results([out])

    def results(self, files):
        results = {}
        for line in "".join(file.read_text() for file in files).splitlines():
            row = json.loads(line)
            check(row["id"] not in results, f"{row['id']} is there twice")
            results[row["id"]] = row["status"], row.get("pred_text")
        return results

    def check_joined(self, folder, expected):
        """cat of the shards' files has every id once, with the text that one process gives."""
        found = self.results(sorted(folder.glob("shard-*.jsonl")))
        check(len(found) == self.n_rows, f"expected {self.n_rows} rows, found {len(found)}")
        check(found == expected, f"expected {expected}, found {found}")
