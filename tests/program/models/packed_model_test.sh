#!/bin/bash
# packed_model_test.sh WHISPER_NPU WRITE_NANO_MODEL: a file of `models convert` says what its source says, and is
# made anew where it does not fit, if it may be.
nano=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../expect.sh"
"$nano" .
mv model nano
unset WNPU_ISA
quick=(--language en --beam-size 1 --max-tokens 24 --temperature-increment-on-fallback None --no-speech-threshold None)

expect 2 'expected one model' models convert -o p.wnpu
expect 2 'output is required' models convert ./nano
expect 2 '--precision' models convert ./nano --precision int4 -o p.wnpu
expect 3 'expected a model file' models convert ./none -o p.wnpu
[ ! -e p.wnpu ] || fail "a refused command left a file"
expect 0 'p.wnpu: [0-9]+ bytes' models convert ./nano --precision all -o p.wnpu
expect 6 'is there' models convert ./nano -o p.wnpu
expect 0 'ok \(its own checksums\)' models verify p.wnpu --model-dir .
expect 0 'packed for: [A-Z0-9_]+ fp32 int16 int8' models info p --model-dir .
expect 0 '/p.wnpu' models path p --model-dir .
for action in path remove; do
  expect 3 'expected a name in .*, found a path: try nano --model-dir \.' models $action ./nano
done
expect 0 'encoder layers: 2' models info nano --model-dir .
mkdir elsewhere
cp -r p.wnpu nano elsewhere/
expect 0 'path: elsewhere/p.wnpu' models info elsewhere/p.wnpu
expect 0 'encoder layers: 2' models info ./elsewhere/nano/
expect 0 'elsewhere/p.wnpu: ok \(its own checksums\)' models verify elsewhere/p.wnpu
expect 3 'elsewhere/nano: unknown' models verify elsewhere/nano
(cd elsewhere/nano && sha256sum model.bin >SHA256SUMS)
expect 0 'elsewhere/nano/model.bin: ok \(SHA256SUMS\)' models verify elsewhere/nano
printf x >>elsewhere/nano/model.bin
expect 3 'model.bin: wrong: expected SHA-256 [0-9a-f]{64} \(SHA256SUMS\)' models verify elsewhere/nano
expect 3 'elsewhere/none: expected a model file or folder, found nothing' models info elsewhere/none
rm -r elsewhere

# Of two at once, one makes the file: the other finds it before the work or at its end.
for _ in 1 2 3 4 5 6; do
  rm -f both.wnpu
  codes=()
  "$program" models convert ./nano --precision fp32 -o both.wnpu >/dev/null 2>&1 &
  "$program" models convert ./nano --precision all -o both.wnpu >/dev/null 2>&1 || codes+=($?)
  wait $! || codes+=($?)
  [ "${codes[*]}" = 6 ] || fail "two at once: expected one exit code 6, found '${codes[*]}'"
done

# transcript MODEL PRECISION >JSON; its notes are in "notes"
transcript() {
  "$program" transcribe --model "$1" --model-dir . --precision "$2" "${quick[@]}" --format json --output - tone.wav 2>notes ||
    fail "$1, $2: $(cat notes)"
}
# same A B MODEL: but for times, and the model's name and place.
same() {
  python3 - "$1" "$2" <<'PYTHON' || fail "$3: another transcript"
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
assert b["model"]["format"] == "packed", b["model"]
for each in a, b:
    del each["timing"]
    for key in "name", "path", "format":
        del each["model"][key]
assert a == b, (a, b)
PYTHON
}
for precision in fp32 int16 int8; do
  transcript ./nano $precision >a.json
  transcript p $precision >b.json
  ! grep -q p.wnpu notes || fail "$precision: $(cat notes)"
  same a.json b.json "p, $precision"
done

# Another precision: in memory where it may not be written, else added to what there is.
expect 0 'bytes' models convert ./nano --precision fp32 -o one.wnpu
chmod a-w one.wnpu
sha256sum one.wnpu >before
transcript ./nano int16 >a.json
transcript one.wnpu int16 >b.json
grep -q 'one.wnpu: it was not packed for int16: it may not be written: packed in memory' notes || fail "$(cat notes)"
same a.json b.json "one, read-only"
sha256sum --quiet -c before || fail "a read-only file was written"
chmod u+w one.wnpu
flock one.wnpu "$program" transcribe --model one.wnpu --precision int16 "${quick[@]}" tone.wav >out 2>notes
grep -q 'another process makes it anew: packed in memory' notes || fail "$(cat notes)"
sha256sum --quiet -c before || fail "a file that another process holds was written"
transcript one.wnpu int16 >b.json
grep -q 'one.wnpu: it was not packed for int16: made anew' notes || fail "$(cat notes)"
same a.json b.json "one, made anew"
expect 0 'packed for: [A-Z0-9_]+ fp32 int16$' models info one --model-dir .
transcript one.wnpu int16 >b.json
[ ! -s notes ] || ! grep -q one.wnpu notes || fail "made anew again: $(cat notes)"

# Another instruction set, the plainest, in two processes at once: each says the same, and one file stays.
WNPU_ISA=$(python3 "$here/../plainest_isa.py" "$program")
export WNPU_ISA
transcript ./nano int16 >a.json
for i in 1 2; do
  "$program" transcribe --model p.wnpu --precision int16 "${quick[@]}" --format json --output - tone.wav >b$i.json 2>notes$i &
  pids[i]=$!
done
for i in 1 2; do wait "${pids[i]}" || fail "at once: $(cat "notes$i")"; done
same a.json b1.json "at once"
same a.json b2.json "at once"
grep -q "it was packed for .*, here is $WNPU_ISA: made anew" notes1 notes2 || fail "$(cat notes1 notes2)"
expect 0 "packed for: $WNPU_ISA fp32 int16 int8" models info p --model-dir .
expect 0 'ok' models verify p.wnpu --model-dir .
# A batch in a process of its own, and a folder that nothing can be written to.
unset WNPU_ISA
cp tone.wav again.wav
transcript ./nano int8 >a.json
"$program" transcribe --model p.wnpu --precision int8 --isolate on "${quick[@]}" --format json -o results tone.wav again.wav 2>notes
[ "$(grep -c 'made anew' notes)" = 1 ] || fail "$(cat notes)"
same a.json results/tone.json "isolated"

# Damage: refused with its reason, or found by verify.
head -c 100000 p.wnpu >cut.wnpu
expect 3 'cut.wnpu: tail: expected' transcribe --model cut.wnpu tone.wav
printf 'WNPUPACK' >bare.wnpu
expect 3 'bare.wnpu: file: expected' transcribe --model bare.wnpu tone.wav
cp p.wnpu bad.wnpu
printf 'X' | dd of=bad.wnpu bs=1 seek=64 conv=notrunc status=none
expect 3 'wrong: damaged since it was made' models verify bad.wnpu --model-dir .
[ "$(find . -name '.whisper-npu*' | wc -l)" = 0 ] || fail "a part was left"
echo "packed model: ok"
