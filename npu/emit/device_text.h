// The static configuration of the array as MLIR-AIE: tiles, streams, and of the cores buffers,
// locks, DMA channels and program.
#pragma once

#include <string>

#include "npu/design/design.h"

namespace wnpu::npu {

// The program that all cores load, beside the module: the name that the module has for it.
inline constexpr const char* kCoreElf = "resident.elf";

// Body of `aie.device`, without the sequences of calls.
std::string device_text(const Design& design);

}  // namespace wnpu::npu
