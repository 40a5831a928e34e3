#!/bin/bash
# mlir_aie_test.sh WHISPER_NPU: mlir-aie's own tools, where they are in PATH, parse, verify, place and
# route what `npu emit` writes, and make our instruction streams of it, byte for byte.
set -euo pipefail
program=$1
for tool in aie-opt aie-translate; do
  command -v "$tool" >/dev/null || {
    echo "SKIP: no $tool in PATH (mlir-aie)"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
placed='builtin.module(aie.device(aie-assign-lock-ids,aie-assign-bd-ids,aie-assign-buffer-addresses{alloc-scheme=basic-sequential},aie-create-pathfinder-flows))'

fail() {
  echo "mlir_aie: $1" >&2
  exit 1
}

# Before the summer of 2026 numbers were attributes, not values.
older() {
  sed -E -e 's/, %one\)$/, 1)/' \
    -e 's/write32\(%c([0-9]+), %c([0-9]+)\) : i32, i32/write32 {address = \1 : ui32, value = \2 : ui32}/' \
    -e 's/maskwrite32\(%c([0-9]+), %c([0-9]+), %c([0-9]+)\) : .*/maskwrite32 {address = \1 : ui32, value = \2 : ui32, mask = \3 : ui32}/' \
    -e 's/sync\(%c([0-9]+), %c([0-9]+), %c([0-9]+), %c([0-9]+), %c([0-9]+), %c([0-9]+)\) : .*/sync {column = \1 : i32, row = \2 : i32, direction = \3 : i32, channel = \4 : i32, column_num = \5 : i32, row_num = \6 : i32}/' \
    -e 's/address_patch\(%c([0-9]+) : i32\) \{(.*)\}/address_patch {\2, arg_plus = \1 : i32}/' "$1"
}

for size in tiny base; do
  for plan in fused batched gemm first-light; do
    [ "$size $plan" != "base first-light" ] || continue # the same again, and a minute
    folder=$work/$size-$plan
    "$program" npu emit --size "$size" --plan "$plan" -o "$folder" >/dev/null
    module=$folder/npu1.mlir
    form="as emitted"
    if ! aie-opt <"$module" >/dev/null 2>"$work/refusal"; then
      older "$module" >"$work/older.mlir"
      module=$work/older.mlir
      form="in the form before July 2026 ($(head -n 1 "$work/refusal"))"
      aie-opt <"$module" >/dev/null || fail "$size, plan $plan: the verifier refuses it"
    fi
    aie-opt --pass-pipeline="$placed" <"$module" >"$work/placed.mlir" ||
      fail "$size, plan $plan: not placed or routed"
    grep -q 'aie.connect' "$work/placed.mlir" || fail "$size, plan $plan: nothing was routed"
    for stream in "$folder"/*.bin; do
      name=$(basename "$stream" .bin)
      aie-translate --aie-npu-to-binary --aie-sequence-name="$name" <"$module" >"$work/theirs.bin"
      cmp "$stream" "$work/theirs.bin" || fail "$size, plan $plan: $name is another stream"
    done
    echo "mlir_aie: $size, plan $plan: taken $form; streams equal"
  done
done
