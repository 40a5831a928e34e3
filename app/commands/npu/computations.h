// Tensor operations by their sizes, as the command line has them, and their calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "npu/design/target.h"
#include "npu/first_light/microbenchmarks/calls.h"

namespace wnpu::app {

// "matmul:M,K,N[:TYPE]|softmax:ROWS,COLUMNS|..." for --help.
std::string computation_forms();

// The calls of all of `texts`, named by operation and number. Throws UsageError: what was expected,
// what was found, and where no core does an operation.
std::vector<npu::NamedDesign> computation_designs(const npu::Target& target,
                                                  const std::vector<std::string>& texts,
                                                  std::optional<std::uint64_t> memory_limit);

}  // namespace wnpu::app
