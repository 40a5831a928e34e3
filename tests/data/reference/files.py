"""Writing of files, the same bytes each time."""
import json
import os
import pathlib

import numpy as np

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "whisper-npu"


def rounded(value):
    """A float of six digits: what follows depends on the CPU."""
    return float(f"{value:.6g}")


def write_json(path, value):
    """An object, a line for each of its entries, and for each entry of a list at its end."""
    def line(entry):
        return json.dumps(entry, ensure_ascii=True)

    fields = []
    for key, entry in value.items():
        if isinstance(entry, list) and entry and isinstance(entry[0], (dict, str)):
            text = "[\n  " + ",\n  ".join(map(line, entry)) + "]"
        else:
            text = line(entry)
        fields.append(f"{line(key)}: {text}")
    path.write_text("{" + ",\n ".join(fields) + "}\n", encoding="ascii")


def write_array(path, array, dtype):
    np.save(path, np.ascontiguousarray(array.numpy().astype(dtype)))
