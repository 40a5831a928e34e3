#include "npu/time_model/prediction.h"

#include <stdexcept>

#include "npu/control/control_program.h"
#include "npu/sim/check.h"

namespace wnpu::npu {
namespace {

// Panels that exceed their memory: all of check() that takes no time.
std::vector<std::string> panel_problems(const Design& design) {
  std::vector<std::string> problems;
  for (const Region& region : design.regions) {
    const std::size_t room = design.memories[region.memory].bytes;
    if (region.offset + region.bytes <= room) continue;
    problems.push_back(region.name + ": expected at most " + std::to_string(room) +
                       " bytes, found " + std::to_string(region.offset + region.bytes));
  }
  return problems;
}

void predict_calls(Prediction& prediction) {
  const TunedLayer layer = prediction.plan.layer();
  prediction.weights_bytes = layer.geometry.weights_bytes;
  prediction.scratch_bytes = layer.geometry.scratch_bytes;
  prediction.states_bytes = layer.geometry.states_bytes;
  const std::vector<Design> designs = designs_of(layer, prediction.plan.plan.calls);
  for (const Design& design : designs) {
    std::vector<std::string> found = panel_problems(design);
    if (found.empty() && prediction.depth == Depth::check) found = check(design);
    for (std::string& problem : found) prediction.problems.push_back(std::move(problem));
  }
  if (!prediction.problems.empty() || prediction.depth == Depth::check) return;
  for (const Design& design : designs) {
    prediction.calls.push_back(call_parts(design, prediction.preset));
  }
  if (prediction.depth == Depth::simulate) {
    prediction.simulated = profile_plan(designs, prediction.preset);
  }
}

}  // namespace

double Prediction::bound_ms() const {
  double ms = 0;
  for (const CallParts& call : calls) {
    ms += call.bound() / (preset.clock_ghz * 1e6) + preset.list_launch_us * 1e-3;
  }
  return ms;
}

Prediction predict(const PlanFile& plan, const HardwareModel& preset, Depth depth) {
  Prediction prediction;
  prediction.depth = depth;
  prediction.plan = plan;
  prediction.preset = preset;
  try {
    predict_calls(prediction);
  } catch (const std::invalid_argument& error) {  // a shape or tuning that no call can have
    prediction.problems.emplace_back(error.what());
  } catch (const SimulationError& error) {
    prediction.problems.emplace_back(error.what());
  } catch (const ControlError& error) {
    prediction.problems.emplace_back(error.what());
  }
  return prediction;
}

}  // namespace wnpu::npu
