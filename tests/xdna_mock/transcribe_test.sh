#!/bin/bash
# The whole program on XRT and the stand-in for the driver: the same words as on the simulator, and
# every failure of the device ends with exit code 5 and its cause, in time.
# ctest runs it: transcribe_test.sh PROGRAM FILE_MAKER PRELOAD
set -u
program=$1
make_files=$2
preload=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

"$make_files" "$work" || exit 1
# As root XRT reads xrt.ini beside the program only.
mkdir "$work/shadow"
cp "$program" "$work/shadow/"
printf '[Debug]\nforce_driver_sync=true\n' >"$work/shadow/xrt.ini"

fail() {
  echo "FAILED: $1"
  tail -n 5 "$work/err"
  failures=$((failures + 1))
}

# transcribe DEVICE [PROGRAM]: JSON to $work/out, messages to $work/err.
transcribe() {
  "${2:-$program}" transcribe --device "$1" --model "$work/model.bin" --language en \
    --beam-size 1 --temperature-increment-on-fallback None --format json "$work/speech.wav" >"$work/out" 2>"$work/err"
}

on_npu() {
  LD_PRELOAD=$preload WHISPER_NPU_XCLBIN=$work/npu1.xclbin transcribe npu "$@"
}

# What is said, without what names the device and takes time.
words() {
  grep -E '"(text|tokens|start|end|language)"' "$work/out"
}

transcribe sim
case $? in
  0) ;;
  2) echo "SKIP: this whisper-npu has no --device sim"; exit 77 ;;
  *) fail "on the simulator"; exit 1 ;;
esac
words >"$work/expected"
[ -s "$work/expected" ] || fail "nothing was said on the simulator"

on_npu || fail "on the NPU: exit code $?"
words | cmp -s - "$work/expected" || fail "NPU and simulator differ"

XDNA_MOCK_SHADOW=1 on_npu "$work/shadow/$(basename "$program")" || fail "memory kept apart: $?"
words | cmp -s - "$work/expected" || fail "memory kept apart: other words"

# refused SETTING REGEX: exit code 5 with that on stderr, within 15 s (10 s is a window's deadline).
refused() {
  local start=$SECONDS
  (export "XDNA_MOCK_${1?}"; on_npu)
  local code=$?
  [ $code -eq 5 ] || fail "$1: expected exit code 5, found $code"
  grep -qE "$2" "$work/err" || fail "$1: expected on stderr: $2"
  [ $((SECONDS - start)) -le 15 ] || fail "$1: took $((SECONDS - start)) s"
}

refused FAIL=open:13 'open: .*Permission denied.*group render'
refused FAIL=mmap:11 'open: .*mmap'
refused FAIL=0:22 'CREATE_HWCTX.*hardware contexts'
refused FAIL=6:5 'EXEC_CMD'
refused COMMAND=5 'state ERROR'
refused COMMAND=0 'no answer within'
refused DEVICE=none 'no /dev/accel/accel0'
rm "$work/npu1.xclbin.json"
refused TRACE= 'expected the manifest'

echo "$failures failed"
[ $failures -eq 0 ]
