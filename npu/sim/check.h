// Does a Design fit its target? Memory, channels and their reach, descriptors and locks as
// declared, regions, access patterns as registers hold them, elements, and whether it ends. Silicon
// and its tools refuse more, which is not looked for yet: repeats and iterations, queues of four
// tasks, descriptors that the transfers really need, stream ports, packet ids and merges, elements
// of different size on one port, locks that overflow on the way, banks and the real size of the
// core's program.
#pragma once

#include <string>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// One message a problem, with the tile, what is allowed and what was found; empty when the Design
// fits. Deadlocks are looked for only when nothing else is wrong.
std::vector<std::string> check(const Design& design);

}  // namespace wnpu::npu
