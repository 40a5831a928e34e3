// Numbers of the predictors look-up and learned, as fit_predictors.py found them.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "npu/predict/call_parts.h"

namespace wnpu::npu {

// Phases that stall alike.
enum class PhaseKind { rows, product, residual, attention };
constexpr std::size_t kPhaseKinds = 4;
PhaseKind kind_of(const Phase& phase);

// How many times longer than its tasks a phase took that has so many cycles of them.
struct StallPoint {
  double busy = 0;
  double factor = 1;
};
std::span<const StallPoint> stall_points(PhaseKind kind);  // by `busy`

constexpr std::size_t kFeatures = 11;
using Features = std::array<double, kFeatures>;
// Features of a call that the learned predictor uses, in cycles.
Features features_of(const CallParts& parts);
const Features& learned_weights();

}  // namespace wnpu::npu
