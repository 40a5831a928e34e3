#!/usr/bin/env python3
"""Draws the README's bar chart, bench/results/speed.svg, of the newest records in bench/results of tiny.en and of
base with beam 5 (`whisper-npu bench --against ... --beam-size 5 --json`).

    python3 -m venv chart && chart/bin/pip install matplotlib==3.11.2
    chart/bin/python bench/chart.py        draws it
    python3 bench/chart.py --check         fails where the chart is of other records; needs no matplotlib
"""

import json
import sys

from performance_table import RESULTS, figure, named

CHART = RESULTS / "speed.svg"
MODELS = ("tiny.en", "base")
PROGRAMS = ("whisper-npu", "faster-whisper", "whisper.cpp", "openai-whisper")


def newest(model):
    """The record of a model; None where there is none."""
    wanted = {"model": model, "beam_size": "5", "batch_size": "1"}
    records = [json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")]
    fitting = [
        record for record in records
        if record["mode"] == "against" and wanted.items() <= record["options"].items()
    ]  # fmt: skip
    return max(fitting, key=lambda record: record["date"], default=None)


def bars(record):
    """(program with version and precision, times real time) from the fastest to the slowest."""
    found = [figure(record, "speed", program) for program in PROGRAMS]
    rows = []
    for one in filter(None, found):
        labels = one["labels"]
        precision = labels["precision"].removeprefix(record["options"]["model"] + "-").removesuffix(".bin")
        rows.append((f"{named(labels)}, {precision}", one["value"]))
    return sorted(rows, key=lambda row: -row[1])


def about(record):
    """Lines that say what was measured where and when."""
    machine, options = record["machine"], record["options"]
    noise = "noisy" if record["noise"]["noisy"] else "quiet"
    return (
        f"{options['model']}: times real time, higher is faster",
        f"{options['files']}, beam 5, {options['threads']} threads of {machine['cpu']} ({machine['instruction_set']}), "
        f"{noise} machine, {record['date'][:10]}, commit {record['program']['commit']}",
    )


def draw(records):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "whisper-npu", "svg.fonttype": "none", "font.size": 10.5})
    from matplotlib import pyplot

    drawing, panels = pyplot.subplots(len(records), figsize=(8.5, 2.3 * len(records)), squeeze=False)
    for axes, record in zip(panels[:, 0], records):
        rows = bars(record)
        names, speeds = zip(*rows)
        colors = ["#1a6fb5" if name.startswith("whisper-npu") else "#b4bcc4" for name in names]
        drawn = axes.barh(names, speeds, color=colors, height=0.7)
        axes.bar_label(drawn, [f"{speed:.0f}" for speed in speeds], padding=4)
        title, where = about(record)
        axes.set_title(title, loc="left", fontweight="bold", fontsize=12)
        below = {"xycoords": ("figure fraction", "axes fraction"), "va": "top"}
        axes.annotate(where, (0.01, -0.06), fontsize=8, color="#555555", **below)
        axes.invert_yaxis()
        axes.set_xticks([])
        axes.tick_params(left=False)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
    margin = 0.15 / len(records)
    drawing.subplots_adjust(left=0.44, right=0.93, bottom=margin, top=1 - margin, hspace=0.5)
    drawing.savefig(CHART, metadata={"Date": None})


def check(records):
    """Ends the program unless the chart has the words and numbers of these records."""
    drawn = CHART.read_text(encoding="utf-8")
    texts = [text for record in records for text in about(record)]
    for name, speed in (row for record in records for row in bars(record)):
        texts += [name, f">{speed:.0f}<"]
    missing = [text for text in texts if text not in drawn]
    if missing:
        sys.exit(f"{CHART}: expected {missing[0]!r}, found other records' chart; python3 bench/chart.py draws it")
    print("chart:", CHART, "is of the newest records in", RESULTS)


def main():
    records = [record for record in map(newest, MODELS) if record]
    if not records:
        sys.exit(f"{RESULTS}: expected a record of {' or '.join(MODELS)} with beam 5, found none")
    check(records) if sys.argv[1:] == ["--check"] else draw(records)


if __name__ == "__main__":
    main()
