#include "app/engine/devices/device_choice.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/engine/devices/device_names.h"
#include "app/engine/devices/lane_plan.h"

namespace wnpu::app {
namespace {

void take(const Backend& backend, std::unique_ptr<EncoderDevice> device, ChosenDevice& chosen) {
  chosen.info.used = backend.name;
  device->describe(0, 0, chosen.info);
  DeviceUse& use = chosen.info.devices.emplace_back();
  use.name = device->name();
  chosen.devices.push_back(std::move(device));
}

void take_named(const NamedDevices& named, const DeviceSetup& setup, std::size_t n_threads,
                ChosenDevice& chosen) {
  if (named.indexes.empty()) {
    return take(*named.backend, named.backend->make(setup, std::nullopt, n_threads), chosen);
  }
  const std::size_t threads = std::max<std::size_t>(1, n_threads / named.indexes.size());
  for (const std::size_t index : named.indexes) {
    const std::string before = chosen.info.npu ? chosen.info.npu->description : "";
    take(*named.backend, named.backend->make(setup, index, threads), chosen);
    const std::string& after = chosen.info.npu->description;
    if (before.empty() || before == after) continue;
    throw npu::DeviceError(setup.options().requested + ": expected devices of one kind, found " +
                           before + " and " + after);
  }
}

// The first that can be used of those that auto may take; `chosen` is the CPU.
void take_automatically(const DeviceSetup& setup, std::span<const npu::ProbeResult> nodes,
                        std::size_t n_threads, ChosenDevice& chosen) {
  for (const Backend& backend : backends()) {
    if (backend.automatic_reason.empty()) continue;
    chosen.info.reason = backend.probe(nodes);
    if (!chosen.info.reason.empty()) continue;
    try {
      take(backend, backend.make(setup, std::nullopt, n_threads), chosen);
      chosen.info.reason = backend.automatic_reason;
      return;
    } catch (const npu::DeviceError& error) {
      chosen.info.reason = error.what();  // the answer to auto, and no failure
    }
  }
}

}  // namespace

models::Precision cpu_precision(const DeviceOptions& options) {
  if (options.cpu_precision == "auto") return models::auto_precision();
  const auto found = models::parse_precision(options.cpu_precision);
  if (!found) {
    std::vector<std::string_view> names{kAutoDevice};
    names.insert(names.end(), models::kPrecisionNames.begin(), models::kPrecisionNames.end());
    refuse_name("device.cpu_precision", names, options.cpu_precision);
  }
  return *found;
}

bool asks_for_npu(const DeviceOptions& options) {
  const DeviceOptions normal;
  return options.plan != normal.plan || options.precision != normal.precision ||
         !options.plan_file.empty() || options.memory_limit || !options.xclbin.empty() ||
         !options.npu_operator.empty();
}

Division division_of(const DeviceOptions& options) {
  Division division;
  division.with_cpu = parse_devices(options.requested).with_cpu;
  division.cpu_window_ms = options.cpu_window_ms;
  division.npu_window_ms = options.npu_window_ms;
  division.memory_limit = options.memory_limit.value_or(0);
  division.split.reset();
  if (options.split != kAutoDevice) {
    division.split = npu::find_split(options.split);
    if (!division.split) {
      std::vector<std::string_view> names{kAutoDevice};
      names.insert(names.end(), npu::kSplitNames.begin(), npu::kSplitNames.end());
      refuse_name("device.split", names, options.split);
    }
  }
  if (division.with_cpu && division.split != npu::Split::windows) {
    throw Error(
        "device.split",
        ": expected windows beside the CPU, which divides with devices nothing else, found " +
            options.split);
  }
  return division;
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
    take_automatically(setup, nodes, n_threads, chosen);
    return chosen;
  }
  const std::string problem = named.backend->probe(nodes);
  if (!problem.empty()) throw npu::DeviceError(options.requested + ": " + problem);
  if (named.backend->make == nullptr) return chosen;
  const std::size_t n_devices = std::max<std::size_t>(1, named.indexes.size());
  take_named(named, setup, n_devices * thread_shares(n_threads, n_devices, named.with_cpu).lane,
             chosen);
  return chosen;
}

}  // namespace wnpu::app
