// An operator in the place of the layer's GELU.
#pragma once

#include <span>

#include "npu/ops/operator.h"

namespace wnpu::npu {

// The only one that can be replaced.
inline constexpr std::string_view kReplaceable = "gelu";

// Throws OperatorError where it has other sizes, operands or layouts than `gelu`.
void require_like_gelu(const Operator& op);

// values become what the operator's CPU reference makes of them, without a bias. Throws
// OperatorError where the reference fails.
void apply_reference(const Operator& op, std::span<float> values);

// Cycles an element of its tile kernel, for the time model: what was measured, else the larger of
// its cost on a tile of 64 x 64 and GELU's own rate, since a count is only a bound from below.
TileCost cycles_an_element(const Operator& op, const Rate& gelu);

}  // namespace wnpu::npu
