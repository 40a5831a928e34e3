// The cost of a tile kernel from the instructions that it counts.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "npu/kernel/op_counts.h"
#include "npu/ops/operator.h"

namespace wnpu::npu {

// A kernel compiled so that it counts in `counts`, of this thread.
struct CountingKernel {
  kernel::OpCounts& counts;
  std::function<void(const OperatorCall&)> run;
};

// The least cycles (kernel/issue_limits.h) of one tile; empty where nothing was counted.
std::optional<TileCost> counted_cost(const CountingKernel& counting,
                                     const std::vector<Operand>& inputs,
                                     const std::vector<Operand>& outputs,
                                     const std::vector<double>& attributes, const Sizes& sizes);

}  // namespace wnpu::npu
