#!/bin/bash
# The contract of the command line on the real program: exit codes, and which stream gets what.
# Needs no weights. ctest runs it: cli_test.sh PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
failures=0

fail() {
  echo "FAILED: $1"
  echo "  stdout: $(head -c 300 "$work/out")"
  echo "  stderr: $(head -c 300 "$work/err")"
  failures=$((failures + 1))
}

# expect CODE REGEX_OF_STDERR ARGUMENTS...: that exit code, one such line on stderr, an empty stdout.
expect() {
  local code=$1 message=$2
  shift 2
  "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
  local found=$?
  [ $found -eq "$code" ] || fail "$*: expected exit code $code, found $found"
  [ ! -s "$work/out" ] || fail "$*: expected nothing on stdout"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$*: expected one line on stderr"
  grep -qE "^whisper-npu: .*$message" "$work/err" || fail "$*: expected on stderr: $message"
}

# prints REGEX ARGUMENTS...: exit code 0, that on stdout, an empty stderr.
prints() {
  local message=$1
  shift
  "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || fail "$*: expected exit code 0"
  [ ! -s "$work/err" ] || fail "$*: expected nothing on stderr"
  grep -qE -e "$message" "$work/out" || fail "$*: expected on stdout: $message"
}

touch "$work/empty.wav"
echo text >"$work/text_as_model"

prints '^whisper-npu [0-9]+\.[0-9]+\.[0-9]+ \(' --version
prints '"schema_version": 1' --version --json
prints '"isa": "[A-Z]' --version --json
prints 'WNPU_ISA' --help
prints 'transcribe' --help
prints '--skip-existing' transcribe --help

# No library comes from the working directory: there, each of them is a file that is none.
mkdir "$work/decoys"
ldd "$program" | awk '/=> \// { print $1 }' | (cd "$work/decoys" && xargs touch)
(cd "$work/decoys" && ls libstdc++.so.* && "$program" --version) >"$work/out" 2>"$work/err" ||
  fail "--version beside files with libraries' names: expected exit code 0"

prints '--against' bench --help
prints '--batch-size' bench --help

WNPU_ISA=scalar prints '"isa": "SCALAR"' --version --json
WNPU_ISA= prints '^whisper-npu' --version
WNPU_ISA=avx9 expect 2 'WNPU_ISA: expected one of .*scalar, .*found avx9' --version

expect 2 'a command is required: transcribe or bench'
expect 2 'files is required' transcribe
expect 2 '--wrong' transcribe --wrong a.wav
expect 2 '--model' transcribe a.wav --model
expect 2 'xml not in' transcribe --format xml a.wav
expect 2 'klingon' transcribe --language klingon a.wav
expect 2 'output-dir' transcribe --format srt,vtt a.wav
expect 2 'writes it too' transcribe --output-dir "$work" x/a.wav y/a.wav
expect 3 "tiny.en: expected a model .*found nothing" transcribe --device cpu "$work/empty.wav"
expect 3 'none: expected a model' transcribe --device cpu --model ./none "$work/empty.wav"
expect 4 'missing.wav: expected an audio file, found No such file' \
  transcribe --device cpu --model "$work/text_as_model" "$work/missing.wav"
expect 4 'found a folder' transcribe --device cpu --model "$work/text_as_model" "$work"
expect 6 'none: expected a folder' transcribe --output "$work/none/a.txt" "$work/empty.wav"
touch "$work/empty.json"
expect 6 'is there already' transcribe --output-dir "$work" --format json "$work/a/empty.mp3"
[ -e /dev/accel/accel0 ] ||
  expect 5 'npu: no /dev/accel/accel0' transcribe --device npu "$work/empty.wav"

# bench: refusals, before any work.
expect 2 'no sample speech at .*samples/jfk.wav' bench --device cpu
expect 2 'exclude each other' bench --rtf --check a.json
expect 2 '-: bench reads its files again' bench -
expect 2 'references .*none.tsv' bench --references "$work/none.tsv" "$work/empty.wav"
expect 2 'none.json: expected a baseline, found no readable file' bench --check "$work/none.json"
echo '{}' >"$work/other.json"
expect 2 'other.json: expected a result of bench --baseline' bench --check "$work/other.json"
expect 2 'expected one or more of faster-whisper.*found espeak' bench --against espeak
expect 3 'none: expected a model' bench --device cpu --model ./none "$work/empty.wav"
[ -e /dev/accel/accel0 ] ||
  expect 5 'npu: no /dev/accel/accel0' bench --device npu "$work/empty.wav"

# A reader that is gone ends the program without a word.
{ sleep 0.2; "$program" --version 2>"$work/err"; echo $? >"$work/code"; } | true
[ "$(cat "$work/code")" = 141 ] || fail "a closed pipe: expected exit code 141"
[ ! -s "$work/err" ] || fail "a closed pipe: expected nothing on stderr"
"$program" --version >/dev/full 2>"$work/err"
[ $? -eq 6 ] || fail "a full disk: expected exit code 6"

[ $failures -eq 0 ] && echo "cli: all as documented"
exit $((failures > 0))
