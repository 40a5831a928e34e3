// Does a Design fit its target? Everything that silicon or its tools would refuse, or that would
// make it stop in the middle.
#pragma once

#include <string>
#include <vector>

#include "npu/design.h"

namespace wnpu::npu {

// One message a problem, with the tile, what is allowed and what was found; empty when the Design
// fits. Deadlocks are looked for only when nothing else is wrong.
std::vector<std::string> check(const Design& design);

}  // namespace wnpu::npu
