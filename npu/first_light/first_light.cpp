#include "npu/first_light/first_light.h"

#include <algorithm>

#include "npu/first_light/microbenchmarks/calls.h"
#include "npu/first_light/steps.h"

namespace wnpu::npu {
namespace {

// Runs one step; what the device throws becomes its reason.
void run_step(StepResult& step, Comparison& comparison, Device& device,
              const FirstLightOptions& options, FirstLight& result) {
  step.status = StepStatus::passed;
  try {
    if (step.step == FirstLightStep::measure) {
      result.table = measure(device, options, result);
    } else {
      comparison.run(step);
    }
    if (step.status == StepStatus::failed) step.reason = "bits differ from the simulator's";
  } catch (const DeviceError& error) {
    step.status = StepStatus::failed;
    step.reason = error.what();
  }
}

}  // namespace

bool FirstLight::has_passed() const {
  return std::ranges::none_of(
      steps, [](const StepResult& step) { return step.status == StepStatus::failed; });
}

FirstLight run_first_light(Device& device, const FirstLightOptions& options) {
  const LayerGeometry geometry = layer_geometry(device.target(), options.shape, options.precision);
  FirstLight result;
  result.machine = options.machine;
  result.machine.device = device.description();
  result.machine.is_simulated = device.is_simulated();
  result.shape = options.shape;
  result.precision = options.precision;
  result.target = device.target().name;
  result.overlay = hash_text(overlay_hash(tile_call(device.target()).design));
  SimDeviceOptions simulator;
  simulator.preset = usual_preset(device.target());
  simulator.threads = options.threads;
  const auto reference = open_sim_device(simulator);
  Comparison comparison(device, *reference, geometry, options, result);
  bool goes_on = true;
  for (std::size_t i = 0; i < kStepNames.size(); ++i) {
    StepResult step{static_cast<FirstLightStep>(i), StepStatus::not_run, {}, {}};
    const bool is_asked = step.step <= options.last;
    if (goes_on && is_asked) {
      if (options.tell) options.tell(std::string(kStepNames[i]));
      run_step(step, comparison, device, options, result);
    } else {
      step.reason = is_asked ? "an earlier step failed" : "not asked for";
    }
    goes_on = goes_on && (step.status != StepStatus::failed || options.keeps_going);
    result.steps.push_back(std::move(step));
  }
  return result;
}

}  // namespace wnpu::npu
