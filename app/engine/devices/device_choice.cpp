#include "app/engine/devices/device_choice.h"

namespace wnpu::app {
namespace {

void take(const Backend& backend, std::unique_ptr<EncoderDevice> device, ChosenDevice& chosen) {
  chosen.info.used = backend.name;
  chosen.device = std::move(device);
  if (chosen.device) chosen.device->describe(0, 0, chosen.info);
}

// The first that can be used of those that auto may take; `chosen` is the CPU.
void take_automatically(const DeviceOptions& options, std::span<const npu::ProbeResult> nodes,
                        std::size_t n_threads, ChosenDevice& chosen) {
  for (const Backend& backend : backends()) {
    if (backend.automatic_reason.empty()) continue;
    chosen.info.reason = backend.probe(nodes);
    if (!chosen.info.reason.empty()) continue;
    try {
      take(backend, backend.make(options, n_threads), chosen);
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
         !options.xclbin.empty();
}

ChosenDevice choose_device(const DeviceOptions& options, std::span<const npu::ProbeResult> nodes,
                           std::size_t n_threads) {
  ChosenDevice chosen;
  chosen.info.requested = options.requested;
  chosen.info.cpu_precision = models::precision_name(cpu_precision(options));
  npu_options(options);  // names that do not exist are refused on the CPU too
  take(backends().front(), nullptr, chosen);
  if (options.requested == kAutoDevice) {
    take_automatically(options, nodes, n_threads, chosen);
    return chosen;
  }
  const Backend* const backend = find_backend(options.requested);
  if (backend == nullptr) refuse_name("device", backend_names(), options.requested);
  const std::string problem = backend->probe(nodes);
  if (!problem.empty()) throw npu::DeviceError(options.requested + ": " + problem);
  if (backend->make != nullptr) take(*backend, backend->make(options, n_threads), chosen);
  return chosen;
}

}  // namespace wnpu::app
