// Whether an operator is what it says: its tile kernel and its CPU reference against fp64, over
// many shapes and over values that are ordinary and hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/ops/operator.h"

namespace wnpu::npu {

struct ValidationOptions {
  std::size_t shapes = 16;  // random ones, besides the smallest and the longest in each direction
  std::uint64_t seed = 1;
  std::optional<Sizes> sizes = {};  // this shape alone
};

// One side against fp64, over all shapes.
struct Deviation {
  double error = 0;        // largest, half a step of the result's type aside
  double share = 0;        // largest of error / bound; above 1 the bound does not hold
  std::string fault = {};  // the first element beyond the bound
};

// Result of validation with one kind of values.
struct ValueResult {
  std::string_view values;  // "ordinary", "wide", "zero", "denormal", "large", "infinity", "NaN"
  bool is_bound = true;     // else the operator promises nothing of them, and nothing is compared
  Deviation tile;
  Deviation reference;
  double apart = 0;  // tile kernel and reference, largest difference where both are finite
};

struct ShapeResult {
  Sizes sizes;
  std::uint64_t bytes = 0;  // that a core reads and writes for it
  std::optional<TileCost> cost;
};

struct Validation {
  bool has_tile = false;
  std::vector<ValueResult> values;
  std::vector<ShapeResult> shapes;

  bool holds() const;
};

// Throws OperatorError where the shape asked for is none, or a function of the operator fails.
Validation validate(const Operator& op, const ValidationOptions& options = {});

// Shapes that a core has room for: the smallest, the longest in each direction, random ones.
std::vector<Sizes> shapes_of(const Operator& op, std::size_t random, std::uint64_t seed);

}  // namespace wnpu::npu
