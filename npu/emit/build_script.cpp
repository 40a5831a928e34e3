#include <algorithm>

#include "npu/core/core_memory.h"
#include "npu/emit/core_sources.h"
#include "npu/emit/emitted_files.h"
#include "npu/emit/module_parts.h"

namespace wnpu::npu {
namespace {

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

// On tmpdir: with --no-compile, aiecc of 2026-03-14 looks for a core's ELF there (aiecc.cpp
// compileCore, AIERT.cpp addAieElfs), others where they are called; here both are one folder.
// On alloc-scheme: every buffer has its address. The bank-aware scheme of 2026-03-14 moves them all
// the same, and then has no room.
std::string build_script(const Target& target) {
  return from_template("build.sh",
                       {{"@NAME@", std::string(target.name)},
                        {"@STATE@", kMlirAieState},
                        {"@ELF@", kCoreElf},
                        {"@ARCH@", target.generation == npu1().generation ? "aie2" : "aie2p"}});
}

// Sections as the tools' own linker script has them (mlir-aie AIETargetLdScript.cpp): crt0 comes
// first, and takes the stack from _sp_start_value_DM_stack.
std::string linker_script(const Design& design) {
  const FreeMemory memory = largest_free_memory(design);
  return from_template("resident.ld",
                       {{"@PROGRAM@", std::to_string(design.target->core_program_bytes)},
                        {"@DATA@", std::to_string(kOwnMemory + memory.begin)},
                        {"@LENGTH@", std::to_string(memory.bytes)},
                        {"@STACK@", std::to_string(kOwnMemory + design.core.stack_offset)}});
}

}  // namespace wnpu::npu
