// The steps: a device compared with the simulator, bit by bit, and measured.
#pragma once

#include <filesystem>
#include <optional>

#include "npu/device.h"
#include "npu/first_light/call_set.h"
#include "npu/first_light/microbenchmarks/inputs.h"
#include "npu/first_light/result.h"
#include "npu/sim/sim_device.h"

namespace wnpu::npu {

class Comparison {
 public:
  // All must outlive it.
  Comparison(Device& device, Device& reference, const LayerGeometry& geometry,
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
  Device& reference_;
  const LayerGeometry& geometry_;
  const FirstLightOptions& options_;
  FirstLight& result_;
  CallTimer timer_;
};

// Runs the microbenchmarks' calls on a device and derives quantities from their times. Adds to
// result.times and result.measured, and the clock where it is not known. The table is there where
// clock, launch and DDR came out. Throws what the device throws.
std::optional<MeasuredTable> measure(Device& device, const FirstLightOptions& options,
                                     FirstLight& result);

// Watts, of the first accelerator whose driver has a sensor: Linux, Documentation/hwmon/
// sysfs-interface: power1_input, else power1_average, in microwatts. Whether amdxdna has one was
// not seen. `root` is for tests.
std::optional<double> npu_watts(const std::filesystem::path& root = "/");

}  // namespace wnpu::npu
