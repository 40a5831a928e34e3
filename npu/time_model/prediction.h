// Verdict and modelled time of a layer's plan. All modelled: nothing here has run on an NPU.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "npu/plans/plan_file.h"
#include "npu/time_model/call_parts.h"
#include "npu/time_model/plan_profile.h"

namespace wnpu::npu {

// Depth of a prediction. A whole layer takes about 3 ms, 60 ms and 300 ms of a CPU core.
enum class Depth {
  bound,     // shapes, tunings and panels are looked at; times are lower bounds
  simulate,  // the calls are simulated, too
  check,     // all that check() looks at; no times
};

struct Prediction {
  Depth depth = Depth::bound;
  PlanFile plan;
  std::vector<std::string> problems;  // one message each; empty: it fits, as far as `depth` looks
  // Only without problems.
  std::size_t weights_bytes = 0;
  std::size_t scratch_bytes = 0;
  std::size_t states_bytes = 0;  // input or output
  // Not by check.
  HardwareModel preset;
  std::vector<CallParts> calls;
  std::optional<PlanProfile> simulated;  // only by simulate

  double bound_ms() const;  // launches included
};

Prediction predict(const PlanFile& plan, const HardwareModel& preset, Depth depth);

// Report as a line of JSON (app/commands/npu/prediction.schema.json) without its end, and for
// people.
std::string prediction_json(const Prediction& prediction, const std::string& id);
std::string prediction_text(const Prediction& prediction);

}  // namespace wnpu::npu
