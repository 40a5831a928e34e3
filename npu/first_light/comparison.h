// The steps that compare a device with the simulator, bit by bit.
#pragma once

#include "npu/device.h"
#include "npu/first_light/call_set.h"
#include "npu/first_light/microbenchmarks/inputs.h"
#include "npu/first_light/result.h"
#include "npu/sim/sim_device.h"

namespace wnpu::npu {

class Comparison {
 public:
  // All must outlive it.
  Comparison(Device& device, SimDevice& reference, const LayerGeometry& geometry,
             const FirstLightOptions& options, FirstLight& result);

  // Fills `step` as far as it gets: checks, and the status where something differs. Throws what the
  // device throws.
  void run(StepResult& step);

 private:
  // Call sets of the same calls on the device and on the reference.
  struct Pair {
    CallSet& device;
    CallSet& reference;
  };
  void run_product(StepResult& step, const GemmProblem& problem, const NamedDesign& call);
  void run_layer(StepResult& step, const std::vector<NamedDesign>& calls);
  void run_encoder(StepResult& step);
  Check check_call(Pair pair, std::size_t index, const std::string& name, Values values);
  // False where the run is to end.
  bool add(StepResult& step, Check check) const;
  void sample_power(std::span<const Run> list);
  void time(const std::string& name, std::span<const Run> list);

  Device& device_;
  SimDevice& reference_;
  const LayerGeometry& geometry_;
  const FirstLightOptions& options_;
  FirstLight& result_;
  CallTimer timer_;
};

}  // namespace wnpu::npu
