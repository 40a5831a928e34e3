// Times of an operator's tile: of a core by the time model, of this CPU by the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "npu/design/target.h"
#include "npu/ops/operator.h"

namespace wnpu::npu {

struct OperatorTimes {
  Sizes sizes;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  // Cycles of its steps by the preset's kernel table, and the rates that they rest on; none where
  // the core's program has no such steps.
  std::optional<double> table_cycles;
  std::vector<Rate> rates;
  std::optional<TileCost> cost;  // of the tile kernel by itself
  double stream_cycles = 0;      // for its longest operand to pass a port, 4 bytes a cycle
  // Modelled: the longer of streams and kernel, by the table, else by the cost; empty: no kernel.
  std::optional<double> modelled_us;
  bool is_lower_bound = false;  // it rests on a count of instructions
  double reference_us = 0;      // measured here: the CPU's reference, the median of `runs`
  std::size_t runs = 0;
};

// A shape of moderate size, every number up to 64 where there are several.
Sizes usual_sizes(const Operator& op);

// Throws OperatorError where the sizes are none.
OperatorTimes bench(const Operator& op, const TimePreset& preset, const Sizes& sizes,
                    std::size_t runs);

}  // namespace wnpu::npu
