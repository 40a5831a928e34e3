#!/bin/bash
# onnx_env.sh [--have]: sets up what checks our ONNX graphs, in a virtual environment of its own under
# ${XDG_CACHE_HOME:-~/.cache}/whisper-npu/onnx: onnx and its run time. Its last line is the
# path of the environment's python. With --have it installs nothing: exit code 1 where
# something is missing.
set -euo pipefail

packages=(onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/onnx/venv
python=$venv/bin/python

has_all='
import sys
from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in (p.split("==") for p in sys.argv[1:])))
'
if ! { [ -x "$python" ] && "$python" -c "$has_all" "${packages[@]}" 2>/dev/null; }; then
  [ "${1:-}" != --have ] || exit 1
  echo "onnx: installing ${packages[*]} in $venv (0.3 GB)" >&2
  [ -x "$python" ] || python3 -m venv --without-pip "$venv"
  python3 -m pip --python "$python" install --quiet "${packages[@]}" >&2
fi
echo "$python"
