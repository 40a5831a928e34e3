#!/usr/bin/env python3
"""Generates the performance table of README.md, between its two markers, from the results of record
in bench/results (JSON of `whisper-npu bench --rtf --json` and `--against ... --json`).

    python3 bench/performance_table.py            writes README.md
    python3 bench/performance_table.py --check    fails where it is not the generated one
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "bench" / "results"
BEGIN = "<!-- begin: bench/performance_table.py, from bench/results -->"
END = "<!-- end: bench/performance_table.py -->"


def figure(result, name, program=None):
    for one in result["figures"]:
        labels = one.get("labels", {})
        if one["name"] == name and (program is None or labels.get("program") == program):
            return one
    return None


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def spread(one):
    return f"{seconds(one['value'])} ({seconds(one['p10'])} to {seconds(one['p90'])})"


def table(header, rows):
    lines = [header, ["---"] * len(header)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def about(path, result):
    """What a reader needs to judge the figures below."""
    machine, options, noise = result["machine"], result["options"], result["noise"]
    names = ("model", "device_used", "cpu_precision", "threads", "beam_size", "batch_size", "files")
    told = ", ".join(f"{name} {options[name]}" for name in names if name in options)
    quiet = f"**noisy machine**: {noise['reason']}" if noise["noisy"] else "quiet machine"
    return (
        f"{result['date'][:10]}, commit {result['program']['commit']}, "
        f"{result['program']['build_type']}; {machine['cpu']}, {machine['usable_cpus']} CPUs, "
        f"{machine['instruction_set']}; {told}; {quiet} "
        f"([{path.name}](bench/results/{path.name})).\n"
    )


def rtf_table(result):
    rows = []
    for name in (
        "model load", "decode audio", "find speech", "mel", "encoder", "decoder", "output", "total",
        "encoder per window", "decoder per token", "encoder layer on the NPU",
    ):  # fmt: skip
        one = figure(result, name)
        if one:
            cell = spread(one) if "p10" in one else seconds(one["value"])
            rows.append([name, cell, one["kind"]])
    for name in ("", "encoder "):
        rtf, speed = figure(result, name + "real-time factor"), figure(result, name + "speed")
        if rtf and speed:
            what = "encoder only" if name else "end to end"
            cell = f"RTF {rtf['value']:.4f}, speed {speed['value']:.1f}x"
            rows.append([what, cell, rtf["kind"]])
    memory = figure(result, "peak memory")
    rows.append(["peak memory", f"{memory['value'] / 1e6:.0f} MB", memory["kind"]])
    return table(["stage", "median (p10 to p90)", "kind"], rows)


def against_table(result):
    rows = []
    for total in result["figures"]:
        if total["name"] != "total":
            continue
        labels = total["labels"]
        program = labels["program"]
        ratio = figure(result, "time of whisper-npu's", program)
        wer = figure(result, "word error rate", program)
        memory = figure(result, "peak memory", program)
        rows.append([
            f"{program} {labels.get('version', '')}".strip(),
            labels["precision"],
            spread(total),
            f"{figure(result, 'speed', program)['value']:.1f}x",
            f"{ratio['value']:.2f} ({ratio['p10']:.2f} to {ratio['p90']:.2f})",
            f"{100 * wer['value']:.1f} %" if wer else "-",
            f"{memory['value'] / 1e6:.0f} MB",
        ])  # fmt: skip
    header = ["program", "precision", "file to text", "speed", "times ours, pair by pair", "WER",
              "memory"]  # fmt: skip
    return table(header, rows)


TABLES = {"rtf": rtf_table, "against": against_table}


def generated():
    parts = []
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        if result["mode"] in TABLES:
            parts.append(about(path, result) + "\n" + TABLES[result["mode"]](result) + "\n")
    return "\n".join([BEGIN, ""] + parts + [END])


def main():
    text = README.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        sys.exit(f"{README}: expected the lines {BEGIN} and {END}")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    wanted = before + generated() + after
    if sys.argv[1:] == ["--check"]:
        if wanted != text:
            sys.exit(f"{README}: the performance table is not the one generated from {RESULTS}; "
                     "python3 bench/performance_table.py writes it")  # fmt: skip
        print("performance table: generated from", RESULTS)
    else:
        README.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
