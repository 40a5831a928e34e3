#include "app/engine/device_choice.h"

#include <algorithm>

#include "npu/sim/sim_device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::app {
namespace {

// Why none of the nodes can be used; empty where one can.
std::string why_no_npu(std::span<const npu::ProbeResult> probed) {
  const bool usable = std::ranges::any_of(probed, [](const auto& found) { return found.usable; });
  if (usable) return "";
  const npu::ProbeResult& first = probed.front();  // probe() is never empty
  return first.name == "npu" ? first.reason : first.name + ": " + first.reason;
}

template <typename Names>
[[noreturn]] void refuse(const std::string& option, const Names& names, const std::string& found) {
  std::string expected;
  for (const std::string_view name : names) expected += std::string(name) + ", ";
  throw Error(ErrorCode::usage, option + ": expected " + expected + "found " + found);
}

NpuUse npu_use(const DeviceOptions& options, const npu::Device& device) {
  NpuUse use;
  use.description = device.description();
  use.plan = options.plan;
  use.precision = options.precision;
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

models::Precision cpu_precision(const DeviceOptions& options) {
  if (options.cpu_precision == "auto") return models::auto_precision();
  const auto found = models::parse_precision(options.cpu_precision);
  if (!found) refuse("precision", models::kPrecisionNames, options.cpu_precision);
  return *found;
}

encoder::NpuOptions npu_options(const DeviceOptions& options) {
  const auto plan = npu::find_plan(options.plan);
  if (!plan) refuse("npu plan", npu::kPlanNames, options.plan);
  const auto precision = npu::find_precision(options.precision);
  if (!precision) refuse("npu precision", npu::kPrecisionNames, options.precision);
  return {.precision = *precision, .plan = *plan};
}

bool asks_for_npu(const DeviceOptions& options) {
  const DeviceOptions normal;
  return options.plan != normal.plan || options.precision != normal.precision ||
         !options.xclbin.empty();
}

ChosenDevice choose_device(const DeviceOptions& options, std::span<const npu::ProbeResult> probed,
                           std::size_t n_threads) {
  ChosenDevice chosen;
  chosen.info.requested = options.requested;
  chosen.info.used = "cpu";
  chosen.info.cpu_precision = models::precision_name(cpu_precision(options));
  npu_options(options);  // names that do not exist are refused on the CPU too
  if (options.requested == "cpu") return chosen;
  if (options.requested == "sim") {
    chosen.npu = open_simulator(options, n_threads);
  } else if (options.requested == "npu") {
    chosen.npu = open_hardware(options, probed);
  } else if (options.requested != kAutoDevice) {
    refuse("device", kDevices, options.requested);
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
