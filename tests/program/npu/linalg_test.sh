#!/bin/bash
# linalg_test.sh WHISPER_NPU WRITE_LAYER: what `npu emit --dialect linalg` writes is upstream MLIR for stock
# mlir-opt, and its lowering to the CPU computes the CPU's fp32 layer.
layer=$2
for tool in mlir-opt mlir-cpu-runner; do
  PATH=$PATH:/usr/lib/llvm-16/bin command -v "$tool" >/dev/null || {
    echo "SKIP: no $tool (Debian: mlir-16-tools)"
    exit 77
  }
done
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
# The sizes differ in numbers alone: of one the result is compared, the others are verified. By hand
# LINALG_SIZES="tiny base": a layer of base takes half a minute.
read -ra compared <<<"${LINALG_SIZES:-tiny}"
for size in tiny base small medium large-v3; do
  expect 0 "linalg, $size, fp32" npu emit --dialect linalg --size "$size" -o "$size"
  (cd "$size" && sha256sum --quiet -c SHA256SUMS) || fail "$size: sums differ"
  if [[ " ${compared[*]} " != *" $size "* ]]; then
    "./$size/run.sh" >/dev/null || fail "$size: refused by mlir-opt"
    continue
  fi
  "$layer" "$size" in.f32
  "./$size/run.sh" "$work/in.f32" "$work/out.f32" || fail "$size: not lowered or run"
  "$layer" "$size" in.f32 out.f32 || fail "$size: another result"
  # A bound that cannot fail proves nothing.
  printf '\0\0\200\077' | dd of=out.f32 bs=4 seek=1000 conv=notrunc status=none
  ! "$layer" "$size" in.f32 out.f32 >/dev/null || fail "$size: a wrong value was taken"
done
echo "linalg: ok"
