// How the emitted folder becomes an XCLBIN on a machine that has mlir-aie and Peano. Neither is
// here, and the script was never run to its end by this project.
#pragma once

#include <string>

#include "npu/design/design.h"

namespace wnpu::npu {

std::string build_script(const Target& target);
// Of the program that every core loads: its text at 0, its constants and its stack where the
// Design has room for them.
std::string linker_script(const Design& design);

}  // namespace wnpu::npu
