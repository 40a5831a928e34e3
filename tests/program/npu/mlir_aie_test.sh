#!/bin/bash
# mlir_aie_test.sh WHISPER_NPU: mlir-aie's own tools, where they are in PATH, parse, verify, place and
# route what `npu emit` writes, make our instruction streams of it, byte for byte, and with bootgen and
# xclbinutil CDO, PDI and XCLBIN, with cores whose program is empty.
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

# An executable of 16 bytes of zeros at address 0 for mlir-aie's machine (e_machine 264, EM_AIE).
empty_program() {
  printf '\x7fELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\x08\1\1\0\0\0\0\0\0\0\x34\0\0\0\0\0\0\0'
  printf '\0\0\0\0\x34\0\x20\0\1\0\0\0\0\0\0\0\1\0\0\0\x54\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\x10\0\0\0'
  printf '\5\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
}

# The files that aiecc gives bootgen and xclbinutil (mlir-aie tools/aiecc/aiecc.cpp); columns of npu1.
write_descriptions() {
  cat >"$1/design.bif" <<END
all:
{
  id_code = 0x14ca8093
  extended_id_code = 0x01
  image
  {
    name=aie_image, id=0x1c000000
    { type=cdo file=$1/main_aie_cdo_elfs.bin file=$1/main_aie_cdo_init.bin file=$1/main_aie_cdo_enable.bin }
  }
}
END
  cat >"$1/partition.json" <<END
{"aie_partition": {"name": "QoS", "operations_per_cycle": "2048", "inference_fingerprint": "23423",
  "pre_post_fingerprint": "12345", "partition": {"column_width": 4, "start_columns": [0]},
  "PDIs": [{"uuid": "00000000-0000-0000-0000-000000000000", "file_name": "$1/npu1.pdi",
    "cdo_groups": [{"name": "DPU", "type": "PRIMARY", "pdi_id": "0x01", "dpu_kernel_ids": ["0x901"],
      "pre_cdo_groups": ["0xC1"]}]}]}}
END
}

# package FOLDER: of placed.mlir
package() {
  rm -rf "$1"
  mkdir "$1"
  empty_program >"$1/resident.elf"
  aie-translate --aie-generate-cdo --work-dir-path="$1" <"$work/placed.mlir" || fail "no CDO"
  for part in elfs init enable; do
    [ -s "$1/main_aie_cdo_$part.bin" ] || fail "no CDO of $part"
  done
  packaged="CDO of $(cat "$1"/main_aie_cdo_*.bin | wc -c) bytes"
  if ! command -v bootgen >/dev/null || ! command -v xclbinutil >/dev/null; then
    packaged+=", no PDI and XCLBIN: no bootgen or xclbinutil in PATH"
    return
  fi
  write_descriptions "$1"
  bootgen -arch versal -image "$1/design.bif" -o "$1/npu1.pdi" -w >"$1/log" || fail "no PDI: $(cat "$1/log")"
  xclbinutil --add-replace-section "AIE_PARTITION:JSON:$1/partition.json" --force \
    --output "$1/npu1.xclbin" >"$1/log" || fail "no XCLBIN: $(cat "$1/log")"
  xclbinutil --info --input "$1/npu1.xclbin" >"$1/log"
  grep -q AIE_PARTITION "$1/log" || fail "an XCLBIN without partition: $(cat "$1/log")"
  packaged+=", PDI of $(wc -c <"$1/npu1.pdi"), XCLBIN of $(wc -c <"$1/npu1.xclbin")"
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
    package "$work/package"
    for stream in "$folder"/*.bin; do
      name=$(basename "$stream" .bin)
      aie-translate --aie-npu-to-binary --aie-sequence-name="$name" <"$module" >"$work/theirs.bin"
      cmp "$stream" "$work/theirs.bin" || fail "$size, plan $plan: $name is another stream"
    done
    echo "mlir_aie: $size, plan $plan: taken $form; streams equal; $packaged"
  done
done
