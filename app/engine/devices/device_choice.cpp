#include "app/engine/devices/device_choice.h"

#include <algorithm>
#include <stdexcept>

#include "app/engine/devices/cpu_share.h"
#include "app/engine/devices/device_names.h"
#include "app/engine/devices/encoder_group.h"
#include "app/engine/devices/ort_devices.h"
#include "app/engine/option_check.h"
#include "npu/design/target.h"
#include "npu/device.h"

namespace wnpu::app {
namespace {

void open(const Backend& backend, const DeviceSetup& setup, std::span<const std::size_t> indexes,
          std::size_t n_threads, ChosenDevice& chosen) {
  chosen.devices = backend.open(setup, indexes, n_threads);
  chosen.info.used = backend.name;
  DeviceUse& use = chosen.info.devices.emplace_back();
  use.name = backend.name;
  chosen.devices->describe(chosen.info.devices, chosen.info);
}

// The first that can be used of those that auto may take; `chosen` is the CPU.
void open_automatically(const DeviceSetup& setup, std::span<const npu::ProbeResult> nodes,
                        std::size_t n_threads, ChosenDevice& chosen) {
  for (const Backend& backend : backends()) {
    if (backend.automatic_reason.empty()) continue;
    chosen.info.reason = backend.probe(nodes);
    if (!chosen.info.reason.empty()) continue;
    try {
      open(backend, setup, {}, n_threads, chosen);
      chosen.info.reason = backend.automatic_reason;
      return;
    } catch (const npu::DeviceError& error) {
      chosen.info.reason = error.what();  // the answer to auto, and no failure
    }
  }
}

}  // namespace

void check_options(const DeviceOptions& options) {
  const NamedDevices named = parse_devices(options.requested);
  cpu_precision(options);
  npu_names(options);
  if (asked_split(options) != npu::Split::windows && named.with_cpu) {
    throw Error(
        "device.split",
        ": expected windows beside the CPU, which divides with devices nothing else, found " +
            options.split);
  }
  check_number("device.cpu_window_ms", options.cpu_window_ms, ranges::kMilliseconds);
  check_number("device.npu_window_ms", options.npu_window_ms, ranges::kMilliseconds);
  if (!std::ranges::count(kOrtWeights, options.ort.weights)) {
    throw Error("device.ort.weights", ": expected fp32 or fp16, found " + options.ort.weights);
  }
  ort_provider_options(options.ort);
  try {
    npu::find_preset(options.preset);
  } catch (const std::invalid_argument& error) {
    throw Error("device.preset", std::string(": ") + error.what());
  }
}

ChosenDevice choose_device(const DeviceSetup& setup, std::span<const npu::ProbeResult> nodes,
                           std::size_t n_threads) {
  const DeviceOptions& options = setup.options();
  ChosenDevice chosen;
  chosen.info.requested = options.requested;
  chosen.info.cpu_precision = models::precision_name(cpu_precision(options));
  check_operator(options);
  chosen.info.used = backends().front().name;
  const NamedDevices named = parse_devices(options.requested);
  if (named.backend == nullptr) {
    open_automatically(setup, nodes, n_threads, chosen);
    return chosen;
  }
  const std::string problem = named.backend->probe(nodes);
  if (!problem.empty()) throw npu::DeviceError(options.requested + ": " + problem);
  if (named.backend->open == nullptr) return chosen;
  const std::size_t n_devices = std::max<std::size_t>(1, named.indexes.size());
  open(*named.backend, setup, named.indexes,
       n_devices * thread_shares(n_threads, n_devices, named.with_cpu).encoder, chosen);
  return chosen;
}

void warn_of_devices(const DeviceInfo& device, std::size_t n_together,
                     std::vector<std::string>& warnings) {
  if (!device.fallback.empty()) {
    warnings.push_back("the device failed, the CPU took over: " + device.fallback);
  } else {
    // Heads that are divided anew, and the CPU in an NPU's place.
    const bool others_differ =
        device.split && (device.split->is_planned || device.devices.front().heads);
    for (const DeviceUse& use : device.devices) {
      if (use.failure.empty()) continue;
      std::string warning = use.name + " failed, the other devices did its work";
      if (others_differ) warning += ", which may have changed bits";
      warnings.push_back(warning + ": " + use.failure);
    }
  }
  if (device.ort) {
    for (std::size_t i = 1; i < device.ort->nodes.size(); ++i) {
      const OrtNodes& part = device.ort->nodes[i];
      warnings.push_back("of the encoder's nodes " + std::to_string(part.count) + " ran on " +
                         part.provider + ", which were left by the provider: " + part.operators);
    }
  }
  const bool is_divided = device.split && device.split->used != kWholeWindows;
  if (device.devices.size() > 1 && n_together == 1 && !is_divided) {
    warnings.push_back("windows come one after another: of the " +
                       std::to_string(device.devices.size()) +
                       " devices one works at a time, with a batch_size above 1 all do");
  }
}

}  // namespace wnpu::app
