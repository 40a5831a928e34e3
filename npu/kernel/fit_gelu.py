#!/usr/bin/env python3
"""Makes the coefficients of kGeluCoefficient in tile_epilogue.h.

GELU(x) = max(x, 0) - r(|x|) with r(u) = u * erfc(u / sqrt 2) / 2. On each of four pieces of [0, 5]
the Remez exchange finds the polynomial of degree 5 in t = u - centre whose largest error is least:
of error / u on the first piece (t = u, no constant term, so that small values keep their relative
precision), of the error itself on the others (the last has t = u - 5 and no constant term, so that
r is zero from 5 on).
"""
import math

DEGREE = 5
PIECES = [(0.0, 1.25, 0.0), (1.25, 2.5, 1.875), (2.5, 3.75, 3.125), (3.75, 5.0, 5.0)]


def solve(rows):
    """Gauss-Jordan elimination of an augmented matrix."""
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def r(u):
    return u * 0.5 * math.erfc(u / math.sqrt(2))


def extrema(errors):
    """Index of the largest error of each run of equal sign."""
    runs = [[0]]
    for k in range(1, len(errors)):
        if (errors[k] > 0) == (errors[runs[-1][0]] > 0):
            runs[-1].append(k)
        else:
            runs.append([k])
    return [max(run, key=lambda k: abs(errors[k])) for run in runs]


def remez(low, high, centre):
    constrained = centre in (low, high)
    powers = range(1 if constrained else 0, DEGREE + 1)
    weight = (lambda u: 1 / u) if low == 0 else (lambda u: 1.0)
    grid = [low + (high - low) * (i + 0.5) / 4000 for i in range(4000)]
    n = len(powers) + 1
    points = [low + (high - low) * (0.5 - 0.5 * math.cos(math.pi * (i + 0.5) / n)) for i in range(n)]
    for _ in range(30):
        rows = [[(u - centre) ** p for p in powers] + [(-1) ** i / weight(u), r(u)]
                for i, u in enumerate(points)]
        coefficients = solve(rows)[:-1]
        errors = [(r(u) - sum(c * (u - centre) ** p for c, p in zip(coefficients, powers))) * weight(u)
                  for u in grid]
        peaks = extrema(errors)
        while len(peaks) > n:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        if len(peaks) < n or points == [grid[k] for k in peaks]:
            break
        points = [grid[k] for k in peaks]
    return ([0.0] if constrained else []) + coefficients, max(map(abs, errors))


for piece in PIECES:
    found, error = remez(*piece)
    print(piece, " ".join(f"{c:.9g}" for c in found), f"error {error:.1e}")
