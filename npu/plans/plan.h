// The ways to run a layer on the array: how it is cut into calls.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "npu/design/layer_design.h"

namespace wnpu::npu {

enum class Plan {
  fused,    // the whole layer in one call
  batched,  // one call an operation, all rows
  hybrid,   // the four products on the array, one call each; LayerNorm, attention, GELU on the CPU
  per_op,   // LayerNorm, softmax and GELU a row at a time, as in November 2025; the rest on the CPU
};

inline constexpr std::array<std::string_view, 4> kPlanNames{"fused", "batched", "hybrid", "per-op"};

std::string_view plan_name(Plan plan);
std::optional<Plan> find_plan(std::string_view name);

// The calls of one layer, in order, for the plans that keep the states on the device between them
// (fused, batched). Throws std::invalid_argument for the others.
std::vector<LayerCall> layer_calls(Plan plan);
// The calls of plan hybrid: the four products, without GELU.
std::vector<LayerCall> product_calls();

}  // namespace wnpu::npu
