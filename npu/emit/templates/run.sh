#!/bin/sh
# run.sh [IN OUT]: verifies layer.mlir with mlir-opt; with IN and OUT also runs it on the CPU, through the
# loops that MLIR makes of it. IN has the arguments that README.md lists, OUT gets the result: fp32, little-endian.
# Tools: mlir-opt and mlir-cpu-runner of MLIR 16 in PATH or /usr/lib/llvm-16/bin (Debian: mlir-16-tools), cc.
set -eu
cd "$(dirname "$0")"
PATH=/usr/lib/llvm-16/bin:$PATH
mlir-opt layer.mlir >/dev/null
echo "layer.mlir: verified"
[ $# -eq 2 ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/values.so" values.c
mlir-opt --empty-tensor-to-alloc-tensor --one-shot-bufferize="bufferize-function-boundaries=1 \
allow-return-allocs=1 function-boundary-type-conversion=identity-layout-map" layer.mlir |
  sed -e '/^module {$/d' -e '/^}$/d' >"$work/layer.mlir"
cat "$work/layer.mlir" run.mlir |
  mlir-opt --convert-linalg-to-loops --lower-affine --convert-scf-to-cf --expand-strided-metadata \
    --lower-affine --convert-math-to-llvm --convert-math-to-libm --convert-arith-to-llvm \
    --convert-memref-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts >"$work/llvm.mlir"
LAYER_IN=$1 LAYER_OUT=$2 mlir-cpu-runner -O3 -e main --entry-point-result=void \
  --shared-libs="$work/values.so" "$work/llvm.mlir"
echo "$2: written"
