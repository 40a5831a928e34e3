#!/bin/bash
# Memory of a second session on tiny.en. ctest runs it: session_cost_test.sh SESSION_COST
# Exit code 77: skipped, with the reason.
set -u
if [ -n "${WNPU_TEST_EMULATOR:-}" ]; then
  echo "SKIP: $WNPU_TEST_EMULATOR runs the program, and its memory would be counted"
  exit 77
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
for needed in "$cache/tiny.en/model.bin" "$cache/samples/jfk.wav"; do
  [ -e "$needed" ] && continue
  echo "SKIP: $needed is not there (app/quickstart.sh fetches it)"
  exit 77
done
# In fp32 the keys and values of cross-attention alone, of one window, are 18 MB.
"$1" "$cache/tiny.en" "$cache/samples/jfk.wav" int8 25 0 &&
  "$1" "$cache/tiny.en" "$cache/samples/jfk.wav" fp32 40 0
