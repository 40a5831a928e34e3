#!/usr/bin/env bash
# build.sh: makes @NAME@.xclbin in this folder. Needs
#   aiecc       mlir-aie as of @STATE@ (with bootgen and xclbinutil) in PATH
#   PEANO       folder of Peano (llvm-aie) with bin/clang++
#   AIE_API     folder of aie_api's headers (mlir-aie installs them as include)
# Written by whisper-npu npu emit. Exit codes: 2 something is missing, 1 a step failed.
set -euo pipefail
cd "$(dirname "$0")"

missing() {
  echo "build.sh: $1" >&2
  exit 2
}
command -v aiecc >/dev/null || missing "no aiecc in PATH: mlir-aie as of @STATE@ has it"
[ -x "${PEANO:-}/bin/clang++" ] || missing "PEANO: expected a folder with bin/clang++"
[ -f "${AIE_API:-}/aie_api/aie.hpp" ] || missing "AIE_API: expected a folder with aie_api/aie.hpp"
[ -f src/npu/core/resident.cc ] || missing "src/npu/core/resident.cc: the cores' program is not there"
sha256sum --quiet -c SHA256SUMS || missing "files are not those that were emitted"

mkdir -p build
"$PEANO/bin/clang++" --target=@ARCH@-none-unknown-elf -std=c++20 -O2 -DNDEBUG -ffunction-sections \
  -I src -I "$AIE_API" -c src/npu/core/resident.cc -o build/resident.o
"$PEANO/bin/clang++" --target=@ARCH@-none-unknown-elf -Wl,--gc-sections -Wl,-T,resident.ld \
  build/resident.o -o build/@ELF@
cd build
aiecc --no-xchesscc --no-xbridge --no-compile --no-compile-host --aie-generate-xclbin \
  --alloc-scheme=basic-sequential --tmpdir=. --xclbin-name=../@NAME@.xclbin ../@NAME@.mlir
echo "build.sh: @NAME@.xclbin; whisper-npu takes it with --xclbin"
