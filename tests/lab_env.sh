#!/bin/bash
# lab_env.sh [--have]: sets up what npu/lab's scripts need, in a virtual environment of its own under
# ${XDG_CACHE_HOME:-~/.cache}/whisper-npu/lab: optuna and scikit-learn. Its last line is the
# path of the environment's python. With --have it installs nothing: exit code 1 where
# something is missing.
set -euo pipefail

packages=(optuna==5.0.0 scikit-learn==1.9.1 numpy==2.4.6)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/lab/venv
python=$venv/bin/python

has_all='
import sys
from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in (p.split("==") for p in sys.argv[1:])))
'
if ! { [ -x "$python" ] && "$python" -c "$has_all" "${packages[@]}" 2>/dev/null; }; then
  [ "${1:-}" != --have ] || exit 1
  echo "lab: installing ${packages[*]} in $venv (0.3 GB)" >&2
  [ -x "$python" ] || python3 -m venv --without-pip "$venv"
  python3 -m pip --python "$python" install --quiet "${packages[@]}" >&2
fi
echo "$python"
