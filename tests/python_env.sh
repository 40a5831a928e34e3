#!/bin/bash
# python_env.sh [--have] [--ray]: sets up what builds the Python module and what its tests compare it with, in a
# virtual environment of its own under ${XDG_CACHE_HOME:-~/.cache}/whisper-npu/python: nanobind, numpy,
# PyAV, pytest and faster-whisper. Its last line is the path of the environment's python. With --have it
# installs nothing: exit code 1 where something is missing. With --ray also what whisper_npu.ray is tested with,
# which is skipped without it.
set -euo pipefail

packages=(nanobind==3.1.0 nanobind-backend==1.0.0 typing-extensions==4.16.0 numpy==2.4.6 av==18.1.0
  tqdm==4.70.1 pytest==9.2.0 faster-whisper==1.2.1)
with_ray=('ray[data]==2.60.0' pyarrow==26.0.1 'moto[server]==5.2.5' boto3 psutil)
install=1
for word in "$@"; do
  case $word in
    --have) install= ;;
    --ray) packages+=("${with_ray[@]}") ;;
    *) echo "python_env.sh: expected --have or --ray, found $word" >&2; exit 2 ;;
  esac
done
venv=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/python/venv
python=$venv/bin/python

has_all='
import sys
from importlib.metadata import version
sys.exit(any(version(name.split("[")[0]) != (wanted or version(name))
             for name, _, wanted in (p.partition("==") for p in sys.argv[1:])))
'
if ! { [ -x "$python" ] && "$python" -c "$has_all" "${packages[@]}" 2>/dev/null; }; then
  [ -n "$install" ] || exit 1
  echo "python: installing ${packages[*]} in $venv (0.5 GB, with --ray 1 GB)" >&2
  [ -x "$python" ] || /usr/bin/python3 -m venv --without-pip "$venv"
  /usr/bin/python3 -m pip --python "$python" install --quiet --disable-pip-version-check "${packages[@]}" >&2
fi
echo "$python"
