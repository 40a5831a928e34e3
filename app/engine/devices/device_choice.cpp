#include "app/engine/devices/device_choice.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/engine/devices/device_names.h"

namespace wnpu::app {
namespace {

void take(const Backend& backend, std::unique_ptr<EncoderDevice> device, ChosenDevice& chosen) {
  chosen.info.used = backend.name;
  device->describe(0, 0, chosen.info);
  chosen.info.devices.push_back({std::string(device->name()), 0, ""});
  chosen.devices.push_back(std::move(device));
}

void take_named(const NamedDevices& named, const DeviceOptions& options, std::size_t n_threads,
                ChosenDevice& chosen) {
  if (named.indexes.empty()) {
    return take(*named.backend, named.backend->make(options, std::nullopt, n_threads), chosen);
  }
  const std::size_t threads = std::max<std::size_t>(1, n_threads / named.indexes.size());
  for (const std::size_t index : named.indexes) {
    const std::string before = chosen.info.npu ? chosen.info.npu->description : "";
    take(*named.backend, named.backend->make(options, index, threads), chosen);
    const std::string& after = chosen.info.npu->description;
    if (before.empty() || before == after) continue;
    throw npu::DeviceError(options.requested + ": expected devices of one kind, found " + before +
                           " and " + after);
  }
}

// The first that can be used of those that auto may take; `chosen` is the CPU.
void take_automatically(const DeviceOptions& options, std::span<const npu::ProbeResult> nodes,
                        std::size_t n_threads, ChosenDevice& chosen) {
  for (const Backend& backend : backends()) {
    if (backend.automatic_reason.empty()) continue;
    chosen.info.reason = backend.probe(nodes);
    if (!chosen.info.reason.empty()) continue;
    try {
      take(backend, backend.make(options, std::nullopt, n_threads), chosen);
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
  if (!found) refuse_name("precision", models::kPrecisionNames, options.cpu_precision);
  return *found;
}

bool asks_for_npu(const DeviceOptions& options) {
  const DeviceOptions normal;
  return options.plan != normal.plan || options.precision != normal.precision ||
         !options.plan_file.empty() || options.memory_limit || !options.xclbin.empty() ||
         !options.npu_operator.empty();
}

ChosenDevice choose_device(const DeviceOptions& options, std::span<const npu::ProbeResult> nodes,
                           std::size_t n_threads) {
  ChosenDevice chosen;
  chosen.info.requested = options.requested;
  chosen.info.cpu_precision = models::precision_name(cpu_precision(options));
  npu_options(options);  // names that do not exist are refused on the CPU too
  check_operator(options);
  chosen.info.used = backends().front().name;
  const NamedDevices named = parse_devices(options.requested);
  if (named.backend == nullptr) {
    take_automatically(options, nodes, n_threads, chosen);
    return chosen;
  }
  const std::string problem = named.backend->probe(nodes);
  if (!problem.empty()) throw npu::DeviceError(options.requested + ": " + problem);
  if (named.backend->make != nullptr) take_named(named, options, n_threads, chosen);
  return chosen;
}

}  // namespace wnpu::app
