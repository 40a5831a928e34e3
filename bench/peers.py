#!/usr/bin/env python3
"""Runs one peer of whisper-npu and prints one JSON line a run:
{"peer", "version", "precision", "threads", "beam", "file", "seconds", "load_seconds", "text", "rss"}

seconds is from the audio file to the text, audio decoding included; load_seconds is the model's
load without Python's imports; rss is the peak resident memory of this process in bytes. A file that
cannot be done gives {"peer", "file", "error"} and the next one goes on.

With no files they come from standard input, one a line, and each is done before the next is read:
that is how `whisper-npu bench --against` interleaves peers (A B C A B C), one process each.
"""

import argparse
import ctypes
import glob
import json
import os
import subprocess
import sys
import time
from importlib.metadata import distribution, version

PEERS = ("faster-whisper", "faster-whisper-batched", "whisper.cpp", "openai-whisper", "openvino-genai")


def peak_memory():
    """Bytes. Not ru_maxrss, which a process takes over from the one that started it."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status: expected VmHWM, found none")


class Peer:
    """load() and transcribe(file); precision is known once a file was prepared."""

    def prepare(self, file):
        """What comes before the first file and is no part of its time."""

    def version(self):
        return version(self.package)


class FasterWhisper(Peer):
    """model: a CTranslate2 folder."""

    package = "faster-whisper"
    batched = False

    def __init__(self, options):
        import faster_whisper

        self.precision = options.precision or "int8"
        self._arguments = {"language": options.language, "beam_size": options.beam}
        self._load = lambda: faster_whisper.WhisperModel(
            options.model, device="cpu", cpu_threads=options.threads, compute_type=self.precision
        )
        self._batch = faster_whisper.BatchedInferencePipeline
        self._batch_size = options.batch_size

    def load(self):
        self._model = self._load()
        if self.batched:
            self._model = self._batch(model=self._model)
            self._arguments["batch_size"] = self._batch_size

    def transcribe(self, file):
        segments, _ = self._model.transcribe(file, **self._arguments)
        return "".join(segment.text for segment in segments)


class FasterWhisperBatched(FasterWhisper):
    """Voice activity detection on and timestamps off, as is its default."""

    batched = True


def load_whisper_cpp_libraries():
    """A pywhispercpp that was compiled here (peers.sh --native) looks for its libraries in the build
    folder, which is gone; loaded beforehand, in the order of their needs, they are found."""
    for name in ("libggml-base.so.0", "libggml-cpu.so.0", "libggml.so.0", "libwhisper.so.1"):
        path = distribution("pywhispercpp").locate_file(name)
        if os.path.exists(path):
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)


def whisper_cpp_version():
    """"1.8.5 (pywhispercpp 1.5.1)": the library's own, then that of the Python package around it."""
    with open("/proc/self/maps") as maps:
        library = next(line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "libwhisper" in line)
    ask = ctypes.CDLL(library).whisper_version
    ask.restype = ctypes.c_char_p
    return f"{ask().decode()} (pywhispercpp {version('pywhispercpp')})"


def peer_files(model, ending):
    """Files that peers.sh wrote of a CTranslate2 folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = os.path.basename(os.path.realpath(model))
    pattern = os.path.join(glob.escape(cache), "whisper-npu", "peers", glob.escape(name) + "-" + ending)
    files = sorted(glob.glob(pattern))
    if not files:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.sh")
        raise FileNotFoundError(f"no {pattern}: bash {script} {model} writes them")
    return files


class WhisperCpp(Peer):
    """model: a ggml file, whose type is the precision; or a CTranslate2 folder, of whose ggml files
    the fastest on this machine is taken."""

    def __init__(self, options):
        load_whisper_cpp_libraries()
        from faster_whisper.audio import decode_audio
        from pywhispercpp.model import Model

        # whisper.cpp reads WAV alone; PyAV decodes for it as it does for faster-whisper.
        self._decode_audio = decode_audio
        self._options = options
        self._files = peer_files(options.model, "*.bin") if os.path.isdir(options.model) else [options.model]
        # As whisper-cli -bs BEAM -bo BEAM.
        settings = {"greedy": {"best_of": options.beam}}
        if options.beam > 1:
            settings = {"beam_search": {"beam_size": options.beam, "patience": -1.0}, **settings}
        self._load = lambda file: Model(
            file,
            params_sampling_strategy=0 if options.beam == 1 else 1,
            redirect_whispercpp_logs_to=None,
            n_threads=options.threads,
            language=options.language,
            print_progress=False,
            **settings,
        )

    def load(self):
        if len(self._files) == 1:
            self._take(self._files[0])

    def prepare(self, file):
        if len(self._files) > 1:
            self._files = [min(self._files, key=lambda ggml: self._seconds(ggml, file))]
            self._take(self._files[0])

    def version(self):
        return whisper_cpp_version()

    def transcribe(self, file):
        segments = self._model.transcribe(self._decode_audio(file))
        return " ".join(segment.text for segment in segments)

    def _take(self, file):
        start = time.perf_counter()
        self._model = self._load(file)
        self.load_seconds = time.perf_counter() - start
        self.precision = os.path.basename(file)

    def _seconds(self, ggml, file):
        """The fastest of three runs, in a process of its own: this one's memory is measured."""
        command = [sys.executable, os.path.abspath(__file__), "whisper.cpp", "--model", ggml]
        for name in ("threads", "beam", "language"):
            command += [f"--{name}", str(getattr(self._options, name))]
        lines = subprocess.run(command + [file] * 3, stdout=subprocess.PIPE, check=True).stdout
        return min(json.loads(line)["seconds"] for line in lines.splitlines())


class OpenaiWhisper(Peer):
    """model: a CTranslate2 folder, whose weights are put into openai's own module."""

    package = "openai-whisper"

    def __init__(self, options):
        import torch

        torch.set_num_threads(options.threads)
        self.precision = "fp32"
        self._folder = options.model
        beam = options.beam if options.beam > 1 else None
        self._arguments = {"language": options.language, "beam_size": beam, "fp16": False}

    def load(self):
        import torch
        import whisper

        from ct2_weights import WhisperWeights

        weights = WhisperWeights(self._folder)
        tensors = {name: torch.tensor(v.astype("f4")) for name, v in weights.tensors.items()}
        self._model = whisper.model.Whisper(whisper.model.ModelDimensions(**weights.dims))
        self._model.load_state_dict(tensors)
        self._model.eval()

    def transcribe(self, file):
        return self._model.transcribe(file, **self._arguments)["text"]


class OpenVinoGenAi(Peer):
    """model: a folder of OpenVINO GenAI, or a CTranslate2 folder, of which peers.sh wrote one: weights of int8."""

    package = "openvino-genai"

    def __init__(self, options):
        import openvino_genai
        from faster_whisper.audio import decode_audio

        self.precision = "int8 weights"
        self._decode_audio = decode_audio
        folder = options.model
        if os.path.exists(os.path.join(folder, "model.bin")):
            (folder,) = peer_files(folder, "openvino")
        self._load = lambda: openvino_genai.WhisperPipeline(folder, "CPU", INFERENCE_NUM_THREADS=options.threads)
        self._arguments = {"return_timestamps": True, "num_beams": options.beam}
        with open(os.path.join(folder, "generation_config.json"), encoding="utf-8") as file:
            if json.load(file)["is_multilingual"]:
                self._arguments |= {"language": f"<|{options.language}|>", "task": "transcribe"}

    def load(self):
        self._pipeline = self._load()

    def transcribe(self, file):
        return str(self._pipeline.generate(self._decode_audio(file), **self._arguments))


CLASSES = dict(zip(PEERS, (FasterWhisper, FasterWhisperBatched, WhisperCpp, OpenaiWhisper, OpenVinoGenAi)))


def run(peer, file):
    peer.prepare(file)
    start = time.perf_counter()
    text = peer.transcribe(file)
    return {
        "seconds": time.perf_counter() - start,
        "precision": peer.precision,
        "load_seconds": peer.load_seconds,
        "text": text.strip(),
        "rss": peak_memory(),
    }


def files_of(options):
    if options.files:
        yield from options.files
    else:
        for line in iter(sys.stdin.readline, ""):
            yield line.rstrip("\n")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--model", required=True)
    parser.add_argument("--precision", help="CTranslate2's compute type; default int8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--language", default="en")
    return parser.parse_intermixed_args()


def main():
    options = parse_options()
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))  # read at import
    # Nothing but results on standard output, whatever the peers print.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        peer = CLASSES[options.peer](options)
        start = time.perf_counter()
        peer.load()
        peer.load_seconds = time.perf_counter() - start
    except Exception as error:  # not installed, no such model: the answer to every file
        for file in files_of(options):
            line = {"peer": options.peer, "file": file, "error": f"{type(error).__name__}: {error}"}
            print(json.dumps(line, ensure_ascii=False), file=results, flush=True)
        return 1
    about = {"version": peer.version(), "threads": options.threads, "beam": options.beam}
    failed = False
    for file in files_of(options):
        line = {"peer": options.peer, "file": file}
        try:
            line |= about | run(peer, file)
        except Exception as error:  # whatever a peer throws is this run's result
            line["error"] = f"{type(error).__name__}: {error}"
            failed = True
        print(json.dumps(line, ensure_ascii=False), file=results, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
