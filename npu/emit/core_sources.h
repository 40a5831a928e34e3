// The sources of the program that every core runs, as they were when this library was built: what
// core_program_digest() is of, as far as a core's compiler reads it.
#pragma once

#include <string_view>
#include <vector>

namespace wnpu::npu {

struct CoreSource {
  std::string_view path;  // "npu/core/core_memory.h", as others include it
  std::string_view text;
};

std::vector<CoreSource> core_sources();

}  // namespace wnpu::npu
