#!/bin/bash
# A model that is cut short while the program has it mapped: a message that names it, as text or as a JSON
# line, and exit code 3. ctest runs it: cut_model_test.sh PROGRAM WRITE_NANO_MODEL
set -u
program=$1
write_nano_model=$2
failures=0

check() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# cut_model LOG_FORMAT: $work, and its err, of a run whose model is cut
cut_model() {
  work=$(mktemp -d)
  "$write_nano_model" "$work" || exit 1
  model=$work/model/model.bin
  # The audio comes when the model has been loaded, and cut.
  mkfifo "$work/audio"
  "$program" transcribe --log-format "$1" --device cpu --model "$work/model" --language en \
    --output "$work/tone.txt" - <"$work/audio" >"$work/out" 2>"$work/err" &
  local pid=$!
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
  check "exit code" 3 $code
  check "files" "audio err model out tone.wav" "$(ls -A "$work" | tr '\n' ' ' | sed 's/ $//')"
}

cut_model text
check "lines on stderr" 1 "$(wc -l <"$work/err")"
check "the message" "whisper-npu: $model: expected the file to stay whole" \
  "$(cut -d' ' -f1-8 "$work/err")"
rm -rf "$work"
cut_model json
check "the JSON line" "message error $model expected the file to stay whole" "$(
  /usr/bin/python3 -c 'import json, sys
line = json.loads(open(sys.argv[1], "rb").readlines()[-1])
print(line["type"], line["level"], line["file"], " ".join(line["message"].split()[:6]))' "$work/err")"
rm -rf "$work"
if [ $failures -eq 0 ]; then echo "cut_model_test: ok"; fi
exit $((failures > 0))
