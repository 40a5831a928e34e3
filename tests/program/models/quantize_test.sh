#!/bin/bash
# quantize_test.sh WHISPER_NPU WRITE_NANO_MODEL: `quantize` makes folders that are whole, the same each
# time, and taken as a model; what it refuses leaves nothing.
nano=$2
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
"$nano" .
mv model nano

expect 2 'expected one model' quantize -o d
expect 2 'output-dir is required' quantize nano
expect 2 '--precision' quantize nano --precision int32 -o d
expect 2 '--max-error: expected a number from 0 to 1' quantize nano --max-error 2 -o d
expect 2 'all have one type' quantize nano --precision q4_0 --max-error 0.1 -o d
expect 3 'expected a model file' quantize ./none -o d
expect 6 'cannot be made' quantize nano -o none/d
expect 6 'cannot be made' quantize nano --calibrate missing.wav -o none/d  # before the recordings are looked at
[ ! -e d ] || fail "a refused command left a folder"

# A stopped process has left one folder, and a living one has the other.
mkdir .whisper-npu.17.part .whisper-npu.18.part && touch .whisper-npu.17.part/model.bin
exec 9<.whisper-npu.18.part && flock 9
expect 0 '^layers: [0-9]+ bytes before, [0-9]+ now$' quantize nano -o d
[ ! -e .whisper-npu.17.part ] && [ -d .whisper-npu.18.part ] || fail "parts: $(echo .whisper-npu.*)"
exec 9<&- && rmdir .whisper-npu.18.part
(cd d && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
[ -f d/model.bin ] && [ -f d/vocabulary.json ] && [ -f d/quantize.json ] || fail "other files: $(ls d)"
expect 6 'is there' quantize nano -o d
mkdir mine && touch mine/file
expect 6 'it is not replaced' quantize nano --overwrite -o mine
expect 0 '"max_error": 0.0' quantize nano --json --max-error 0 -o exact
expect 0 '"precision": "q8_0"' quantize nano --precision q8_0 --json -o q
cmp q/quantize.json out || fail "--json is not quantize.json"
for precision in int8 int16 bf16 q4_1 q5_0; do
  "$program" quantize nano --precision $precision -o a >/dev/null
  "$program" quantize nano --precision $precision -o b >/dev/null
  diff -r a b || fail "$precision: two runs differ"
  # What was written is a model again.
  expect 0 '^layers: ' quantize ./a --overwrite -o b
  rm -r a b
done

# Calibrated with a recording: a second of a tone, in which the random model hears words.
wav() {
  python3 - "$@" <<'EOF'
import math, struct, sys, wave
with wave.open(sys.argv[1], "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", "none"))
    n = int(float(sys.argv[2]) * 16000)
    out.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i * i / 9e4))) for i in range(n)))
EOF
}
wav a.wav 1
wav b.wav 0.7
wav none.wav 0
echo 'Anything at all.' >b.txt
echo text >text.wav
expect 2 'cannot be with --precision bf16' quantize nano --precision bf16 --calibrate a.wav -o c
expect 2 'int8 in .*, which is quantised already' quantize ./d --calibrate a.wav -o c
expect 4 'text.wav' quantize nano --calibrate a.wav --calibrate text.wav -o c
expect 4 'none.wav' quantize nano --calibrate none.wav -o c
expect 4 'missing.wav' quantize nano --calibrate missing.wav -o c
expect 4 'text.wav' quantize nano --evaluate text.wav -o c
[ ! -e c ] || fail "a refused calibration left a folder"

expect 0 '"uncalibrated": \{' quantize nano --calibrate a.wav b.wav --json -o c
grep -q '"calibrated_with": \[' out || fail "no recordings in the report"
(cd c && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
grep -q 'calibrated with: a.wav' c/quantize.html || fail "no recordings in the page"
"$program" quantize nano --calibrate a.wav b.wav -o again >/dev/null
diff -r c again || fail "two calibrations differ"
taskset -c 0 "$program" quantize nano --calibrate b.wav a.wav -o one >/dev/null
cmp c/model.bin one/model.bin || fail "the order of recordings or the threads show"
cmp -s c/model.bin d/model.bin && fail "calibration changes nothing"
expect 0 '' transcribe --model ./c --precision int8 --device cpu --language en --beam-size 1 --temperature 0 \
  --temperature-increment-on-fallback None a.wav
expect 0 'now, int8: .* word errors' quantize nano --calibrate a.wav --evaluate a.wav --evaluate b.wav -o e
expect 0 'of 1 with the same text' quantize nano --precision q8_0 --calibrate a.wav --evaluate a.wav -o f
python3 - e/quantize.json <<'EOF' || fail "another evaluation"
import json, sys
e = json.load(open(sys.argv[1]))["evaluation"]
assert (e["recordings"], e["with_reference"], e["before"]["words"]) == (2, 1, 3), e
EOF

# What is tried is what is written, and the same as without a trial.
"$program" quantize nano --precision bf16 -o half >/dev/null
for options in nano 'nano --max-error 0.00387' './half --max-error 0.00387' 'nano --precision bf16' 'nano --precision q4_1'; do
  read -ra words <<<"$options"
  "$program" quantize "${words[@]}" -o plain >/dev/null
  "$program" quantize "${words[@]}" --evaluate a.wav -o tried >/dev/null
  diff -r -x 'quantize.*' -x SHA256SUMS plain tried || fail "$options: a trial shows in the files"
  rm -r plain tried
done
