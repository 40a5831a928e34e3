#!/bin/bash
# faster_whisper_suite.sh PACKAGE_FOLDER [SOURCE]: the tests of faster-whisper 1.2.1 against the Python package
# in PACKAGE_FOLDER (build/dev/app/python), beside the real package. SOURCE is an unpacked source archive; without
# it, it is fetched from GitHub. Minutes: real weights.
set -eu
package=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/tiny.en
archive=https://github.com/SYSTRAN/faster-whisper/archive/refs/tags/v1.2.1.tar.gz

skip() {
  echo "SKIP: $1"
  exit 77
}

python=$(bash "$here/../python_env.sh" --have) || skip "no Python environment (bash tests/python_env.sh)"
[ -f "$model/model.bin" ] || skip "tiny.en was not fetched (app/quickstart.sh)"
source=${2:-}
if [ -z "$source" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  curl --silent --fail --location --max-time 120 "$archive" 2>/dev/null | tar xz -C "$work" 2>/dev/null ||
    skip "GitHub cannot be reached"
  source=$work/faster-whisper-1.2.1
fi
PYTHONPATH=$package "$python" "$here/faster_whisper_suite.py" "$source" "$model"
