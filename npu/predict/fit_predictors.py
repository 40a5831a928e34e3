#!/usr/bin/env python3
"""Makes fitted.cpp from simulated calls: fit_predictors.py SAMPLE_CALLS [N], or --samples FILE.

SAMPLE_CALLS is the program of sample_calls.cpp (`cmake --build BUILD --target sample_calls`), whose
seed is fixed. Every fifth call is held out. From the others come the stalls of phases, the median of
each of some ranges of their length, and the weights of a ridge regression of the simulated cycles on
the parts of the bound, in which every call counts by its relative error. Prints the errors on the
calls held out, of all three predictors. Needs nothing but Python.
"""
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gauss_jordan import solve  # noqa: E402

KINDS = ["rows", "product", "residual", "attention"]
POINTS = 8        # of a kind's stalls
RIDGE = 1e-6      # of the mean square of a feature
MOST_STALL = 4.0  # a phase that waits longer waits for something else than its kind's streams


def read(lines):
    calls = {}
    for line in lines:
        what, index, *numbers = line.split()
        numbers = [float(n) for n in numbers]
        if what == "call":
            calls[int(index)] = {"cycles": numbers[0], "start": numbers[1], "features": numbers[2:],
                                 "phases": []}
        else:
            calls[int(index)]["phases"].append((int(numbers[0]), numbers[1], numbers[2]))
    return [calls[i] for i in sorted(calls)]


def ridge(calls):
    scaled = [[f / c["cycles"] for f in c["features"]] for c in calls]
    n = len(scaled[0])
    square = [[sum(x[i] * x[j] for x in scaled) for j in range(n)] for i in range(n)]
    for i in range(n):
        square[i][i] += RIDGE * square[i][i]
    return solve([square[i] + [sum(x[i] for x in scaled)] for i in range(n)])


def stalls(calls, kind):
    """(mean of the logarithm of the tasks' cycles, median stall) of ranges with equally many phases."""
    found = sorted((busy, min(took / busy, MOST_STALL)) for c in calls
                   for k, busy, took in c["phases"] if k == kind and busy > 0)
    points = []
    for i in range(POINTS):
        part = found[len(found) * i // POINTS:len(found) * (i + 1) // POINTS]
        points.append((math.exp(sum(math.log(b) for b, _ in part) / len(part)),
                       sorted(f for _, f in part)[len(part) // 2]))
    return points


def between(points, busy):
    if busy <= points[0][0]:
        return points[0][1]
    for (b0, f0), (b1, f1) in zip(points, points[1:]):
        if busy <= b1:
            return f0 + math.log(busy / b0) / math.log(b1 / b0) * (f1 - f0)
    return points[-1][1]


def error_text(errors):
    size = sorted(abs(e) for e in errors)
    return (f"mean {100 * sum(size) / len(size):.1f} %, half within {100 * size[len(size) // 2]:.1f} %, "
            f"95 % within {100 * size[len(size) * 95 // 100]:.1f} %, largest {100 * size[-1]:.1f} %")


def source(weights, tables, note):
    text = ("// Written by fit_predictors.py. Held out, every fifth of the simulated calls:\n"
            + "".join(f"//   {line}\n" for line in note)
            + '#include "npu/predict/fitted.h"\n\nnamespace wnpu::npu {\nnamespace {\n\n'
            f"using Points = std::array<StallPoint, {POINTS}>;\n"
            "constexpr std::array<Points, kPhaseKinds> kStalls{{\n")
    for kind, points in zip(KINDS, tables):
        rows = ", ".join(f"{{{b:.0f}, {f:.4f}}}" for b, f in points)
        text += f"    // {kind}\n    {{{{{rows}}}}},\n"
    text += ("}};\n\nconstexpr Features kWeights{"
             + ", ".join(f"{w:.6g}" for w in weights)
             + "};\n\n}  // namespace\n\n"
             "std::span<const StallPoint> stall_points(PhaseKind kind) {\n"
             "  return kStalls[static_cast<std::size_t>(kind)];\n}\n\n"
             "const Features& learned_weights() { return kWeights; }\n\n}  // namespace wnpu::npu\n")
    return text


def main():
    if sys.argv[1] == "--samples":
        calls = read(pathlib.Path(sys.argv[2]).read_text().splitlines())
    else:
        calls = read(subprocess.run([sys.argv[1], *sys.argv[2:3]], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout.splitlines())
    held_out, fitted = calls[::5], [c for i, c in enumerate(calls) if i % 5]
    weights = ridge(fitted)
    tables = [stalls(fitted, kind) for kind in range(len(KINDS))]
    ways = {
        "analytical": lambda c: c["features"][0],
        "look-up": lambda c: c["start"] + sum(b * between(tables[k], b) for k, b, _ in c["phases"]),
        "learned": lambda c: max(c["features"][0],
                                 sum(f * w for f, w in zip(c["features"], weights))),
    }
    note = [f"{name}: " + error_text([way(c) / c["cycles"] - 1 for c in held_out])
            for name, way in ways.items()]
    print(f"{len(fitted)} calls fitted, {len(held_out)} held out")
    print("\n".join(note))
    target = pathlib.Path(__file__).with_name("fitted.cpp")
    target.write_text(source(weights, tables, note))
    subprocess.run(["clang-format", "-i", str(target)], check=False)


if __name__ == "__main__":
    main()
