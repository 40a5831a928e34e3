#!/usr/bin/env python3
"""Generates tables from the results of record in bench/results (JSON of `whisper-npu bench --rtf --json`
and `--against ... --json`), between the markers of bench/results/README.md (all) and README.md (one).

    python3 bench/performance_table.py            writes them
    python3 bench/performance_table.py --check    fails where they are not the generated ones
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
END = "<!-- end: bench/performance_table.py"
# The README's comparison: all programs with openai-whisper's default search, on a quiet machine.
SUMMARY = RESULTS / "2026-11-23-epyc-zen4-against-beam5.json"
SUMMARY_PROGRAMS = ("whisper-npu", "faster-whisper", "whisper.cpp", "openai-whisper")


def figure(result, name, program=None):
    for one in result["figures"]:
        labels = one.get("labels", {})
        if one["name"] == name and (program is None or labels.get("program") == program):
            return one
    return None


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def cell(one):
    """A figure with its spread and, unless it was measured, its kind."""
    text = seconds(one["value"])
    if "p10" in one:
        scale, digits = (1, ".2f") if one["value"] >= 1 else (1e3, ".3g")
        text += f" ({one['p10'] * scale:{digits}}..{one['p90'] * scale:{digits}})"
    return text if one["kind"] == "measured" else f"{text}, {one['kind']}"


def table(header, rows):
    lines = [header, ["---"] * len(header)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def about(path, result):
    """What a reader needs to judge the figures below."""
    machine, options, noise = result["machine"], result["options"], result["noise"]
    texts = {"device_used": "on {}", "cpu_precision": "{}", "threads": "{} threads", "beam_size": "beam {}",
             "batch_size": "batch {}"}  # fmt: skip
    told = ", ".join(text.format(options[name]) for name, text in texts.items() if name in options)
    quiet = f"**noisy** ({noise['reason']})" if noise["noisy"] else "quiet"
    return (
        f"**{options['model']}, {options['files']}**, {told}; {result['date'][:10]}, {result['program']['commit'][:8]}; "
        f"{machine['cpu']}, {machine['usable_cpus']} CPUs, {machine['instruction_set']}, {quiet} ([record]({path.name})).\n"
    )


STAGES = (
    "model load", "decode audio", "find speech", "mel", "encoder", "decoder", "output", "total",
    "encoder per window", "decoder per token", "encoder layer on the NPU",
)  # fmt: skip


def stages(result):
    """{stage: cell} of a record of --rtf."""
    cells = {name: cell(one) for name in STAGES if (one := figure(result, name))}
    for name, what in (("", "speed"), ("encoder ", "speed, encoder alone")):
        speed = figure(result, name + "speed")
        if speed:
            cells[what] = f"{speed['value']:.1f}x"
    cells["peak memory"] = f"{figure(result, 'peak memory')['value'] / 1e6:.0f} MB"
    return cells


def rtf_table(results):
    columns = [stages(result) for result in results]
    names = [name for name in (*STAGES, "speed", "speed, encoder alone", "peak memory")
             if any(name in column for column in columns)]  # fmt: skip
    header = ["median (p10..p90)", *(f"{result['options']['files']}, {result['options']['cpu_precision']}" for result in results)]
    return table(header, [[name, *(column.get(name, "-") for column in columns)] for name in names])


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
            f"{program} {labels.get('version', '')}".strip() + f", {labels['precision']}",
            f"{figure(result, 'speed', program)['value']:.1f}x",
            f"{ratio['value']:.2f} ({ratio['p10']:.2f}..{ratio['p90']:.2f})",
            f"{100 * wer['value']:.1f} %" if wer else "-",
            f"{memory['value'] / 1e6:.0f} MB",
        ])  # fmt: skip
    return table(["program", "speed", "times ours", "WER", "memory"], rows)


def all_tables():
    records = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))}
    parts = [about(path, result) + "\n" + against_table(result) + "\n"
             for path, result in records.items() if result["mode"] == "against"]  # fmt: skip
    rtf = {path: result for path, result in records.items() if result["mode"] == "rtf"}
    if rtf:
        parts += [*(about(path, result) for path, result in rtf.items()), rtf_table(rtf.values()) + "\n"]
    return "\n".join(parts)


def summary():
    result = json.loads(SUMMARY.read_text(encoding="utf-8"))
    machine, options = result["machine"], result["options"]
    rows = []
    for total in result["figures"]:
        labels = total.get("labels", {})
        program = labels.get("program", "")
        if total["name"] != "total" or program not in SUMMARY_PROGRAMS:
            continue
        ratio = figure(result, "time of whisper-npu's", program)
        rows.append([
            f"{program} {labels.get('version', '')}".strip(),
            labels["precision"],
            f"{figure(result, 'speed', program)['value']:.0f} times real time",
            f"{ratio['value']:.1f}",
            f"{figure(result, 'peak memory', program)['value'] / 1e6:.0f} MB",
        ])  # fmt: skip
    told = (
        f"{options['model']} on {options['files']}, beam {options['beam_size']}, {options['threads']} threads "
        f"of {machine['cpu']} ({machine['instruction_set']}), in turn on a quiet machine, {result['date'][:10]}; "
        f"CPU alone:\n"
    )
    return told + "\n" + table(["program", "precision", "speed", "times our time", "memory"], rows) + "\n"


TARGETS = (
    (ROOT / "README.md", "<!-- begin: bench/performance_table.py, summary -->", summary),
    (RESULTS / "README.md", "<!-- begin: bench/performance_table.py, from bench/results -->", all_tables),
)


def with_table(path, begin, make):
    text = path.read_text(encoding="utf-8")
    if begin not in text or END not in text.split(begin)[1]:
        sys.exit(f"{path}: expected the lines {begin} and {END}")
    before, rest = text.split(begin)
    return text, before + begin + "\n\n" + make() + "\n" + END + rest.split(END, 1)[1]


def main():
    for path, begin, make in TARGETS:
        text, wanted = with_table(path, begin, make)
        if sys.argv[1:] != ["--check"]:
            path.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            sys.exit(f"{path}: the table is not the one generated from {RESULTS}; "
                     "python3 bench/performance_table.py writes it")  # fmt: skip
        else:
            print("table:", path, "is the one generated from", RESULTS)


if __name__ == "__main__":
    main()
