#!/usr/bin/env python3
"""Generates tables from the results of record in bench/results (JSON of `whisper-npu bench --rtf --json`
and `--against ... --json`), between the markers of bench/results/README.md. bench/chart.py draws the README's chart.

    python3 bench/performance_table.py            writes them
    python3 bench/performance_table.py --check    fails where they are not the generated ones
"""

import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
TABLES_FILE = RESULTS / "README.md"
BEGIN = "<!-- begin: bench/performance_table.py, from bench/results -->"
END = "<!-- end: bench/performance_table.py"


def figure(result, name, program=None):
    for one in result["figures"]:
        labels = one.get("labels", {})
        if one["name"] == name and (program is None or labels.get("program") == program):
            return one
    return None


def named(labels):
    """"faster-whisper 1.2.1": the program that a figure is of, with its version."""
    return f"{labels['program']} {labels.get('version', '')}".strip()


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
    head, *body = ("| " + " | ".join(line) + " |" for line in (header, *rows))
    return "\n".join([head, "|" + "---|" * len(header), *body])


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
            f"{named(labels)}, {labels['precision']}",
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


def with_tables(text):
    if BEGIN not in text or END not in text.split(BEGIN)[1]:
        sys.exit(f"{TABLES_FILE}: expected the lines {BEGIN} and {END}")
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n\n" + all_tables() + "\n" + END + rest.split(END, 1)[1]


def main():
    text = TABLES_FILE.read_text(encoding="utf-8")
    wanted = with_tables(text)
    if sys.argv[1:] != ["--check"]:
        TABLES_FILE.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"{TABLES_FILE}: expected the tables generated from the records beside it, found others; "
                 "python3 bench/performance_table.py writes them")  # fmt: skip
    else:
        print("tables:", TABLES_FILE, "has the ones generated from the records beside it")


if __name__ == "__main__":
    main()
