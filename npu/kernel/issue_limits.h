// How many instructions a core can begin in a cycle, and the least cycles that counted instructions
// take: a bound from below, as if loops, latencies, registers and bank conflicts cost nothing.
#pragma once

#include <string_view>

#include "npu/kernel/op_counts.h"

namespace wnpu::npu::kernel {

// Issue limits of an AIE-ML core, per cycle. AM020 = AMD AM020, AIE-ML architecture.
struct IssueLimits {
  // AM020 ch. 4, Functional Overview: "two 256-bit load and one 256-bit store units"; ch. 2,
  // AIE-ML Interfaces: each of them "256 bits per clock cycle".
  double loads = 2;
  double stores = 1;
  // AM020 ch. 4, Vector Unit: one multiplication and accumulation data path (table 7: 128 bf16 MACs
  // into 16 lanes).
  double products = 1;
  // AM020 ch. 4, Fixed-Point Vector Unit: "The vector adder is in a separate functional unit
  // together with a vector shuffle and shift datapath": either an ALU operation or a permutation or
  // a move.
  double vector_operations = 1;
  // AM020 ch. 4, Functional Overview: a 32-bit scalar processor, "one instruction per cycle".
  double scalar_operations = 1;
};
// Conversions have no unit of their own there. [A] To a wider accumulator (UPS) is charged to the
// vector unit, to a narrower vector (SRS) to the store, which it can feed directly.
inline constexpr IssueLimits kAie2Issue{};

struct IssueBound {
  double cycles = 0;
  std::string_view unit;  // that is busy all the time
};
IssueBound issue_bound(const OpCounts& counts, const IssueLimits& limits = kAie2Issue);

}  // namespace wnpu::npu::kernel
