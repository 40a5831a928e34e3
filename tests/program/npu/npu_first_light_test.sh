#!/bin/bash
# npu_first_light_test.sh WHISPER_NPU: what `npu first-light` takes and refuses, its exit codes and
# its file. What it compares and measures: tests/npu/first_light/.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"

expect 2 '--plan: there is no such option' npu first-light --plan fused
expect 2 '--device: there is no such option' npu emit -o d --device sim
expect 2 '--json: there is no such option' npu emit -o d --json
expect 2 'expected npu, npu:N or sim' npu first-light --device cpu
expect 2 'expected npu, npu:N or sim' npu first-light --device npu:
expect 2 'expected npu, npu:N or sim' npu first-light --device npu:x
expect 2 '--until' npu first-light --device sim --until dawn
expect 2 '--clock-ghz' npu first-light --device sim --clock-ghz 0
if [ ! -e /dev/accel/accel0 ]; then
  expect 5 'no NPU, or no amdxdna driver' npu first-light --until kernel
  expect 5 'no NPU, or no amdxdna driver' npu first-light --device npu:3 --until kernel
fi

quick=(npu first-light --device sim --size tiny --until kernel)
expect 0 'SIMULATED: no silicon was here' "${quick[@]}" --output light.json
grep -q '"simulated": true' light.json || fail "the file does not say that it was simulated"
grep -q '^{$' light.json || fail "the file is no JSON"
echo mine >light.json
expect 6 'light.json: is there' "${quick[@]}" --output light.json
[ "$(cat light.json)" = mine ] || fail "a file that was there is replaced"
expect 0 'kernel: passed' "${quick[@]}" --output light.json --overwrite
expect 6 'none' "${quick[@]}" --output none/light.json
if [ -c /dev/full ]; then  # what was found is said, though its file cannot be written
  expect 6 '/dev/full' "${quick[@]}" --output /dev/full
  grep -q 'kernel: passed' out || fail "the report is lost with its file"
fi
expect 0 '.document.: .whisper-npu first light.' "${quick[@]}" --json
[ "$(find . -name '.whisper-npu*' | wc -l)" = 0 ] || fail "a part of a file was left"

# Its file as a table of kernels: this one has none, for nothing was measured.
expect 2 'light.json: kernel_table: expected a table, found null' bench --plans --kernel-table light.json
expect 2 'no.json: expected a result of npu first-light' bench --plans --kernel-table no.json
expect 2 'does nothing without --plans' bench --kernels --kernel-table light.json

# One folder, one XCLBIN for all of it.
expect 0 'gauge_attend_1536_4: design' npu emit --size tiny --plan first-light -o d
(cd d && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
for call in tile product norm1 down layer gauge_short; do
  [ -s "d/$call.bin" ] || fail "no instruction stream for $call"
done
echo "npu_first_light: ok"
