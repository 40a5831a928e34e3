#!/bin/bash
# kubernetes_env.sh [--have]: sets up what checks app/cluster/kubernetes_job.yaml, in a virtual environment of its own
# under ${XDG_CACHE_HOME:-~/.cache}/whisper-npu/kubernetes: Kubernetes' JSON schemas and what reads YAML. Its
# last line is the path of the environment's python. With --have it installs nothing: exit code 1 where
# something is missing.
set -euo pipefail

packages=(kubernetes-validate==1.37.0)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/kubernetes/venv
python=$venv/bin/python

has_all='
import sys
from importlib.metadata import version
sys.exit(any(version(name) != wanted for name, wanted in (p.split("==") for p in sys.argv[1:])))
'
if ! { [ -x "$python" ] && "$python" -c "$has_all" "${packages[@]}" 2>/dev/null; }; then
  [ "${1:-}" != --have ] || exit 1
  echo "kubernetes: installing ${packages[*]} in $venv (0.1 GB)" >&2
  [ -x "$python" ] || /usr/bin/python3 -m venv --without-pip "$venv"
  /usr/bin/python3 -m pip --python "$python" install --quiet --disable-pip-version-check "${packages[@]}" >&2
fi
echo "$python"
