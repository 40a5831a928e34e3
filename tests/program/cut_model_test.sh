#!/bin/bash
# A model that is cut short while the program has it mapped: a message that names it, and exit code 3.
# ctest runs it: cut_model_test.sh PROGRAM WRITE_NANO_MODEL
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" "$work" || exit 1
model=$work/model/model.bin

# The audio comes when the model has been loaded, and cut.
mkfifo "$work/audio"
"$program" transcribe --device cpu --model "$work/model" --language en --output "$work/tone.txt" - \
  <"$work/audio" >"$work/out" 2>"$work/err" &
pid=$!
exec 3>"$work/audio"
for _ in $(seq 100); do
  grep -q "$model" "/proc/$pid/maps" 2>/dev/null && break
  sleep 0.1
done
truncate --size 64 "$model"
cat "$work/tone.wav" >&3 2>"$work/cat_err"
rm -f "$work/cat_err"
exec 3>&-
wait $pid
code=$?

failures=0
check() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
check "exit code" 3 $code
check "lines on stderr" 1 "$(wc -l <"$work/err")"
check "the message" "whisper-npu: $model: expected the file to stay whole" \
  "$(cut -d' ' -f1-8 "$work/err")"
check "files" "audio err model out tone.wav" "$(ls -A "$work" | tr '\n' ' ' | sed 's/ $//')"
if [ $failures -eq 0 ]; then echo "cut_model_test: ok"; fi
exit $((failures > 0))
