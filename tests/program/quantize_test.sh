#!/bin/bash
# quantize_test.sh WHISPER_NPU WRITE_NANO_MODEL: `quantize` makes folders that are whole, the same each
# time, and taken as a model; what it refuses leaves nothing.
nano=$2
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
"$nano" .
mv model nano

expect 2 'expected one model' quantize -o d
expect 2 'output-dir is required' quantize nano
expect 2 '--precision' quantize nano --precision int16 -o d
expect 2 '--max-error: expected a number from 0 to 1' quantize nano --max-error 2 -o d
expect 2 'all have one type' quantize nano --precision q4_0 --max-error 0.1 -o d
expect 3 'expected a model file' quantize ./none -o d
expect 6 'cannot be made' quantize nano -o none/d
[ ! -e d ] || fail "a refused command left a folder"

expect 0 '^layers: [0-9]+ bytes before, [0-9]+ now$' quantize nano -o d
(cd d && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
[ -f d/model.bin ] && [ -f d/vocabulary.json ] && [ -f d/quantize.json ] || fail "other files: $(ls d)"
expect 6 'is there' quantize nano -o d
mkdir mine && touch mine/file
expect 6 'it is not replaced' quantize nano --overwrite -o mine
expect 0 '"max_error": 0.0' quantize nano --json --max-error 0 -o exact
expect 0 '"precision": "q8_0"' quantize nano --precision q8_0 --json -o q
cmp q/quantize.json out || fail "--json is not quantize.json"
for precision in int8 bf16 q4_1 q5_0; do
  "$program" quantize nano --precision $precision -o a >/dev/null
  "$program" quantize nano --precision $precision -o b >/dev/null
  diff -r a b || fail "$precision: two runs differ"
  # What was written is a model again.
  expect 0 '^layers: ' quantize ./a --overwrite -o b
  rm -r a b
done
