// Would silicon and its tools take a Design? The limits are in design/limits.h and target.cpp.
//
// Refused: core memory and declared program that do not fit; locks of a core that are shared;
// phases that are too many, or that no header holds; tiles, channels and descriptors that are not
// there; mem-tile channels that reach too far, for memory or locks; regions that overlap; elements
// over two tiles; patterns, steps, lengths and counts that no register holds; tasks with more
// descriptors than their channel owns; elements of different size on a core's port; lock values
// beyond 63, declared or on the way; packet ids that are missing, doubled or beyond 31; streams
// that share a sink without an order between them; more streams across a line of tiles than there
// are ports; deadlocks, of the streams by themselves and of the one controller that gives them
// their tasks; accesses to one place that no lock, token or stream orders (order/order_check.h);
// and whatever the control program's bytes make the array do otherwise than the Design says
// (simulator.h).
//
// Not looked for: a route for every stream, whether a port is left for a core's trace (npu1 has
// none: stream_cuts()), memory banks, the real size of the core's program and stack.
#pragma once

#include <string>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// One message a problem, with the tile, what is allowed and what was found; empty when the Design
// fits. Deadlocks and orders are looked for only when nothing else is wrong.
std::vector<std::string> check(const Design& design);

}  // namespace wnpu::npu
