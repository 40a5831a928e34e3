// How the emitted folder becomes an XCLBIN on a machine that has mlir-aie and Peano. Neither is
// here, and the script was never run to its end by this project.
#pragma once

#include <string>

#include "npu/design/design.h"

namespace wnpu::npu {

std::string build_script(const Target& target);
// Linker script of the program that every core loads: text at 0, constants and stack in the room
// that the Design leaves for them.
std::string linker_script(const Design& design);

}  // namespace wnpu::npu
