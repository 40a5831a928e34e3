// Which vector instructions the kernels use. Highway takes the best that the machine has; this is
// for tests and measurements of the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wnpu::models {

// AVX3_DL, and AMX where it is faster: what is multiplied by many rows of bytes.
inline constexpr std::string_view kAmx = "AMX";

// Highway's names and kAmx ("AVX3_DL", which is AVX-512 with VNNI and more, as from Ice Lake and
// Zen 4, "AVX3", which is AVX-512 as from Skylake, "AVX2", "SSE4", "SSSE3", "SCALAR") of what there
// are kernels for and this machine can run, best first, whatever was chosen below.
const std::vector<std::string>& instruction_sets();

// The one in use.
std::string_view instruction_set();

// Kernels of `name`, and of lesser ones where a kernel has none for it. Call it before the first
// kernel runs and anything is packed: the layout depends on it. False, and nothing changes: `name`
// is none of instruction_sets(). Capitals do not matter.
bool use_instruction_set(std::string_view name);

}  // namespace wnpu::models
