#include "npu/emit/build_script.h"

#include <algorithm>
#include <string_view>

#include "npu/core/core_memory.h"
#include "npu/emit/device_text.h"
#include "npu/emit/module_text.h"

namespace wnpu::npu {
namespace {

constexpr std::string_view kBuildScript = R"script(#!/usr/bin/env bash
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
)script";

// On tmpdir: with --no-compile, aiecc of 2026-03-14 looks for a core's ELF there (aiecc.cpp
// compileCore, AIERT.cpp addAieElfs), others where they are called; here both are one folder.
// On alloc-scheme: every buffer has its address. The bank-aware scheme of 2026-03-14 moves them all
// the same, and then has no room.

// Sections as the tools' own linker script has them (mlir-aie AIETargetLdScript.cpp): crt0 comes
// first, and takes the stack from _sp_start_value_DM_stack.
constexpr std::string_view kLinkerScript = R"script(/* Written by whisper-npu npu emit. */
MEMORY {
  program (RX) : ORIGIN = 0, LENGTH = @PROGRAM@
  data (!RX) : ORIGIN = @DATA@, LENGTH = @LENGTH@
}
ENTRY(__start)
SECTIONS {
  .text : {
    *crt0.o(.text*)
    *(.text*)
  } > program
  .data : {
    *(.data*)
    *(.rodata*)
  } > data
  .bss : { *(.bss*) } > data
  _sp_start_value_DM_stack = @STACK@;
}
)script";

std::string replaced(std::string text, std::string_view mark, const std::string& value) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
    text.replace(at, mark.size(), value);
  }
  return text;
}

struct FreeMemory {
  std::size_t begin = 0;
  std::size_t bytes = 0;
};

// The largest piece of data memory that neither buffers nor the stack take.
FreeMemory largest_free_memory(const Design& d) {
  std::vector<CoreBuffer> used = d.core.buffers;
  used.push_back({"stack", d.core.stack_offset, d.core.stack_bytes, 1});
  used.push_back({"end", d.target->core_memory_bytes, 0, 1});
  std::ranges::sort(used, {}, &CoreBuffer::offset);
  FreeMemory largest;
  std::size_t end = 0;
  for (const CoreBuffer& b : used) {
    const std::size_t begin =
        (end + d.target->vector_bytes - 1) / d.target->vector_bytes * d.target->vector_bytes;
    if (b.offset > begin && b.offset - begin > largest.bytes) largest = {begin, b.offset - begin};
    end = std::max(end, b.offset + b.bytes * static_cast<std::size_t>(b.depth));
  }
  return largest;
}

}  // namespace

std::string build_script(const Target& target) {
  std::string text = replaced(std::string(kBuildScript), "@NAME@", std::string(target.name));
  text = replaced(text, "@STATE@", kMlirAieState);
  text = replaced(text, "@ELF@", kCoreElf);
  return replaced(text, "@ARCH@", target.generation == npu1().generation ? "aie2" : "aie2p");
}

std::string linker_script(const Design& design) {
  const FreeMemory memory = largest_free_memory(design);
  std::string text = replaced(std::string(kLinkerScript), "@PROGRAM@",
                              std::to_string(design.target->core_program_bytes));
  text = replaced(text, "@DATA@", std::to_string(kOwnMemory + memory.begin));
  text = replaced(text, "@LENGTH@", std::to_string(memory.bytes));
  return replaced(text, "@STACK@", std::to_string(kOwnMemory + design.core.stack_offset));
}

}  // namespace wnpu::npu
