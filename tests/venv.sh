#!/bin/bash
# venv.sh, sourced by the scripts that set up a virtual environment for tests:
#   make_venv [--have] NAME SIZE PACKAGE...
# installs the packages (NAME==VERSION, or any version) in ${XDG_CACHE_HOME:-~/.cache}/whisper-npu/NAME/venv and
# prints the path of its python. With --have it installs nothing: exit code 1 where something is missing.
set -euo pipefail

make_venv() {
  local have=
  if [ "$1" = --have ]; then have=1 && shift; fi
  local name=$1 size=$2
  shift 2
  local venv=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/$name/venv
  local python=$venv/bin/python
  local has_all='
import sys
from importlib.metadata import version
sys.exit(any(version(name.split("[")[0]) != (wanted or version(name))
             for name, _, wanted in (p.partition("==") for p in sys.argv[1:])))
'
  if ! { [ -x "$python" ] && "$python" -c "$has_all" "$@" 2>/dev/null; }; then
    [ -z "$have" ] || return 1
    echo "$name: installing $* in $venv ($size)" >&2
    [ -x "$python" ] || /usr/bin/python3 -m venv --without-pip "$venv"
    /usr/bin/python3 -m pip --python "$python" install --quiet --disable-pip-version-check "$@" >&2
  fi
  echo "$python"
}
