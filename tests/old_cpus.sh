#!/bin/bash
# What the machine at hand is too new to show: the tests and a whole transcription on older CPUs,
# emulated by qemu-user. Slow (minutes), so not part of tests/run.sh. Root, or qemu-user installed.
#   old_cpus.sh [BUILD_FOLDER]      build/dev if not given, built already
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/dev}
command -v qemu-x86_64 >/dev/null || apt-get install -y --no-install-recommends qemu-user || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
# Test cases that take minutes here and show nothing that others do not: whole models, the simulator.
slow='*openai-whisper*,npu *,*tiny.en*'

# check NAME COMMAND...: output of what fails, one line for what does not.
check() {
  local name=$1 begin=$SECONDS
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "passed: $name, $((SECONDS - begin)) s: $(grep -a '^\[doctest\] test cases' "$work/log")"
  else
    echo "FAILED: $name, exit code $?"
    tail -n 40 "$work/log"
    failures=$((failures + 1))
  fi
}

# transcribe COMMAND...: the tokens of the tone.
transcribe() {
  "$@" "$build/app/whisper-npu" transcribe --device cpu --model "$work/model" --language en \
    --threads 2 --beam-size 1 --temperature 0 --temperature-increment-on-fallback None \
    --no-speech-threshold None --format json "$work/tone.wav" 2>"$work/err" |
    python3 -c '
import json, sys
document = json.load(sys.stdin)
print(document["device"]["isa"], [segment["tokens"] for segment in document["segments"]])'
}

# on CPU ISA: the tests and a transcription on that CPU, whose best kernels are ISA's.
on() {
  local cpu=$1 isa=$2
  local emulator=(qemu-x86_64 -cpu "$cpu")
  echo "== $cpu, expected to use $isa"
  for folder in models audio encoder decoder; do
    check "$folder" "${emulator[@]}" "$build/tests/${folder}_tests" --test-case-exclude="$slow"
  done
  local expected found
  expected="$isa ${native#* }"
  found=$(transcribe "${emulator[@]}")
  if [ "$found" = "$expected" ]; then
    echo "passed: a transcription: $found"
  else
    printf 'FAILED: a transcription\n  expected: %s\n  found:    %s\n' "$expected" "$found"
    cat "$work/err"
    failures=$((failures + 1))
  fi
}

"$build/tests/write_nano_model" "$work" || exit 1
native=$(transcribe env)
echo "this machine: $native"
# x86-64-v2, without the AES instructions that Highway's SSE4 asks for; then one with them, one with
# AVX2. What qemu has not got of a CPU it would say on stderr.
on Nehalem SSSE3
on Westmere,+pclmulqdq SSE4
on Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid AVX2
exit $((failures > 0))
