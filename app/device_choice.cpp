#include "app/device_choice.h"

#include <algorithm>

#include "npu/sim_device.h"
#include "npu/xrt_device.h"

namespace wnpu::app {
namespace {

// Why none of the nodes can be used; empty where one can.
std::string why_no_npu(std::span<const npu::ProbeResult> probed) {
  const bool usable = std::ranges::any_of(probed, [](const auto& found) { return found.usable; });
  if (usable) return "";
  const npu::ProbeResult& first = probed.front();  // probe() is never empty
  return first.name == "npu" ? first.reason : first.name + ": " + first.reason;
}

NpuUse npu_use(const DeviceOptions& options, const npu::Device& device) {
  NpuUse use;
  use.description = device.description();
  use.plan = npu::plan_name(options.plan);
  use.precision = options.precision == npu::Precision::int8 ? "int8" : "bf16";
  if (device.is_simulated()) use.preset = options.preset;
  return use;
}

std::unique_ptr<npu::Device> open_simulator(const DeviceOptions& options, std::size_t n_threads) {
  npu::SimDeviceOptions sim;
  sim.preset = options.preset;
  sim.threads = static_cast<int>(n_threads);
  return npu::open_sim_device(sim);
}

std::unique_ptr<npu::Device> open_hardware(const DeviceOptions& options,
                                           std::span<const npu::ProbeResult> probed) {
  const std::string problem = why_no_npu(probed);
  if (!problem.empty()) throw npu::DeviceError("npu: " + problem);
  return npu::open_xrt_device({.bdf = "", .xclbin = options.xclbin, .target = ""});
}

}  // namespace

ChosenDevice choose_device(const DeviceOptions& options, std::span<const npu::ProbeResult> probed,
                           std::size_t n_threads) {
  ChosenDevice chosen;
  chosen.info.requested = options.requested;
  chosen.info.used = "cpu";
  chosen.info.cpu_precision = models::precision_name(options.cpu_precision);
  if (options.requested == "cpu") return chosen;
  if (options.requested == "sim") {
    chosen.npu = open_simulator(options, n_threads);
  } else if (options.requested == "npu") {
    chosen.npu = open_hardware(options, probed);
  } else if (chosen.info.reason = why_no_npu(probed); chosen.info.reason.empty()) {
    try {
      chosen.npu = open_hardware(options, probed);
      chosen.info.reason = "an NPU is there and opens";
    } catch (const npu::DeviceError& error) {
      chosen.info.reason = error.what();  // the answer to auto, and no failure
    }
  }
  if (!chosen.npu) return chosen;
  chosen.info.simulated = chosen.npu->is_simulated();
  chosen.info.used = chosen.info.simulated ? "sim" : "npu";
  chosen.info.npu = npu_use(options, *chosen.npu);
  return chosen;
}

}  // namespace wnpu::app
