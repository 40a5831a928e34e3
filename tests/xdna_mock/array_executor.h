// What stands in for the array: computes what a Design says, in place, on its arguments' memory.
#pragma once

#include <cstddef>
#include <span>

#include "npu/design.h"

namespace wnpu::tests {

// out[i] = a[i] + b[i], int32: arguments a, b, out. A Design by its name and arguments alone, for
// tests of the way to the device and back.
npu::Design adder_design(std::size_t n_elements);

// Throws std::exception where the Design cannot be run on these arguments.
void execute(const npu::Design& design, std::span<const std::span<std::byte>> arguments);

}  // namespace wnpu::tests
