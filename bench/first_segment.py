#!/usr/bin/env python3
"""first_segment.py PROGRAM RECORDING MODEL... [--runs N] [--precision P ...] [--threads N ...]

From the start of a process to the first byte of text, for each model in turn: what `models convert` gains.
Prints medians and quartiles in ms, and how much sooner each is than the first model."""
import argparse
import statistics
import subprocess
import time


def first_text(command):
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        first = process.stdout.read(1)
        seconds = time.perf_counter() - start
        process.stdout.read()
    if process.returncode != 0 or not first:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return 1000 * seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("program")
    parser.add_argument("recording")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--precision", nargs="+", default=["int8", "fp32"])
    parser.add_argument("--threads", nargs="+", default=["1", "2"])
    options = parser.parse_args()
    for precision in options.precision:
        for threads in options.threads:
            times = {model: [] for model in options.models}
            for run in range(options.runs + 1):
                for model in options.models:
                    took = first_text([options.program, "transcribe", "--model", model, "--precision", precision,
                                       "--threads", threads, options.recording])
                    if run > 0:  # the first one reads from the disk
                        times[model].append(took)
            medians = {model: statistics.median(of) for model, of in times.items()}
            for model, of in times.items():
                low, _, high = statistics.quantiles(of, n=4)
                sooner = 100 * (1 - medians[model] / medians[options.models[0]])
                print(f"{precision} {threads} threads {model}: {medians[model]:.0f} ms ({low:.0f} to {high:.0f}), "
                      f"{sooner:.0f} % sooner", flush=True)


if __name__ == "__main__":
    main()
