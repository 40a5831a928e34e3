// The parts of check() that look at links: ends, packets, elements of a port, and whether the
// streams can leave and enter each part of the array at all.
#pragma once

#include "npu/design/design.h"
#include "npu/sim/check_problems.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {

void check_streams(const Design& design, Problems& problems);

// Whether the moves of a run took each channel's words through the links in the Design's order;
// empty where they did.
std::string moves_fault(const Design& design, const SimReport& report);

// Streams that have to cross the line between two rows or columns of tiles, and the switches' ports
// there. Routing may need more than this.
struct StreamCut {
  std::string name;  // "from mem tiles to shims"
  int streams = 0;
  int ports = 0;
};
std::vector<StreamCut> stream_cuts(const Design& design);

}  // namespace wnpu::npu
