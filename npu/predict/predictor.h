// How long a call takes, without simulating it: three ways behind one interface. All are modelled,
// and what they are compared with is the time model, which was never compared with silicon.
#pragma once

#include <span>
#include <string_view>

#include "npu/design/design.h"
#include "npu/design/target.h"
#include "npu/predict/call_parts.h"

namespace wnpu::npu {

struct Predictor {
  std::string_view name;
  std::string_view rests_on;  // one sentence
  // Cycles of a call that has these parts, launch not included.
  double (*call_cycles)(const Design& design, const CallParts& parts);
};

// analytical: the bound of call_parts.h. look-up: the tasks of each phase by the kernel table,
// times how much longer such phases took on the simulator. learned: a ridge regression on the parts
// of the bound.
std::span<const Predictor> predictors();

// Predicted time of calls one after the other in a list, launches included.
double predicted_ms(const Predictor& predictor, std::span<const Design> calls,
                    const TimePreset& preset);

}  // namespace wnpu::npu
