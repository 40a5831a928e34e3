// The identity of the program that every core runs.
#pragma once

#include <string_view>

namespace wnpu::npu {

// SHA-256, in hex, of the sources that decide what a core does with the bytes it is sent: tile
// kernels, the phases' header and steps, and how arguments are packed. Computed when the library is
// built.
std::string_view core_program_digest();

}  // namespace wnpu::npu
