#!/bin/bash
# python_test.sh WHISPER_NPU WRITE_NANO_MODEL PACKAGE_FOLDER [PYTEST ARGUMENT...]: the tests of the Python
# package of this build, in the environment of tests/python_env.sh.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$(bash "$here/../python_env.sh" --have) && [ -d "$3" ] || {
  echo "SKIP: the Python module was not built (bash tests/python_env.sh, then configure again)"
  exit 77
}
export WNPU_PROGRAM=$1 WNPU_WRITE_NANO_MODEL=$2 PYTHONPATH=$3 PYTHONDONTWRITEBYTECODE=1
shift 3
"$python" -m pytest -q -p no:cacheprovider -rs "$here" "$@"
