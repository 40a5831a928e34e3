"""How a folder differs from the same folder made anew."""
import json

import numpy as np

# Sums in another order, as another CPU makes them, move a logarithm or a probability by less.
TOLERANCE = 1e-4


def is_near(a, b):
    """Two JSON values that are equal but for the last digits of their floats."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_near(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_near, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= TOLERANCE * max(1, abs(b))
    return a == b and type(a) is type(b)


def is_near_file(a, b):
    if a.suffix == ".json":
        return is_near(json.loads(a.read_text(encoding="utf-8")),
                       json.loads(b.read_text(encoding="utf-8")))
    if a.suffix == ".npy":
        ours, anew = np.load(a).astype(np.float64), np.load(b).astype(np.float64)
        if ours.shape != anew.shape:
            return False
        return np.abs(ours - anew).max() <= TOLERANCE * np.abs(ours).max()
    return False


def differences(committed, anew):
    """A line for each file that is not the same bytes in both folders."""
    names = {path.relative_to(folder) for folder in (committed, anew)
             for path in folder.rglob("*") if path.is_file()}
    for name in sorted(names):
        a, b = committed / name, anew / name
        if not a.exists() or not b.exists():
            yield f"{committed.name}/{name}: only {'made anew' if b.exists() else 'committed'}"
        elif a.read_bytes() != b.read_bytes():
            how = "within tolerance" if is_near_file(a, b) else "differs"
            yield f"{committed.name}/{name}: {how}"
