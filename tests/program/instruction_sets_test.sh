#!/bin/bash
# A whole transcription with the kernels of each instruction set that this machine can run: the same
# text, and JSON that names them. ctest runs it: instruction_sets_test.sh PROGRAM WRITE_NANO_MODEL
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" "$work"

# transcribe ISA: the text, and what JSON says of the kernels
transcribe() {
  WNPU_ISA=$1 "$program" transcribe --device cpu --model "$work/model" --precision fp32 --language en --beam-size 1 \
    --temperature 0 --temperature-increment-on-fallback None --no-speech-threshold None \
    --format json "$work/tone.wav" >"$work/$1.json"
  python3 - "$work/$1.json" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1], encoding="utf-8"))
print(document["device"]["isa"], [segment["tokens"] for segment in document["segments"]])
PYTHON
}

names=$("$program" --version --json | python3 -c '
import json, sys
kernels = json.load(sys.stdin)["kernels"]
assert kernels["isa"] == kernels["available"][0], kernels
assert kernels["auto_precision"] == ("fp32" if kernels["isa"] in ("NEON", "SCALAR") else "int8"), kernels
print(*kernels["available"])')
expected=
for name in $names; do
  found=$(transcribe "$name")
  text=${found#"$name" }
  [ "$text" != "$found" ] || { echo "FAILED: $name: JSON says $found"; exit 1; }
  [ "${#text}" -gt 20 ] || { echo "FAILED: $name: expected tokens, found $text"; exit 1; }
  [ "$text" = "${expected:=$text}" ] || {
    echo "FAILED: $name: expected $expected, found $text"
    exit 1
  }
done
echo "instruction sets: the same tokens with $names"
