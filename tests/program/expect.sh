# Sourced by tests of the program: "$program", a folder of their own, what ends them with a message.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset "${!WHISPER_NPU_@}"
export WHISPER_NPU_CONFIG=

fail() {
  local test=${0##*/}
  echo "${test%_test.sh}: $1" >&2
  exit 1
}

# expect CODE PATTERN ARGUMENTS...
expect() {
  local code=0
  "$program" "${@:3}" >out 2>err || code=$?
  [ "$code" = "$1" ] || fail "${*:3}: expected exit code $1, found $code: $(cat err)"
  grep -qE -- "$2" out err || fail "${*:3}: expected \"$2\", found: $(cat out err)"
}
