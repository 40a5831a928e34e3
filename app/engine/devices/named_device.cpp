#include "app/engine/devices/named_device.h"

#include <vector>

#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_names.h"
#include "npu/probe.h"
#include "npu/sim/sim_device.h"

namespace wnpu::app {
namespace {

// N of "npu:N"; of "npu" 0. Throws Error(usage).
std::size_t npu_index(const std::string& name) {
  try {
    const NamedDevices named = parse_devices(name);
    const bool is_npu = named.backend != nullptr && named.backend->name == kNpuBackend;
    if (is_npu && named.indexes.empty()) return 0;
    if (is_npu && named.indexes.size() == 1) return named.indexes.front();
  } catch (const Error&) {  // no device at all
  }
  throw Error("device", ": expected npu, npu:N or sim, found " + name);
}

}  // namespace

npu::XrtDeviceInfo named_npu(const std::string& name) {
  const std::size_t index = npu_index(name);
  const std::vector<npu::ProbeResult> nodes = npu::probe();
  if (!nodes.front().usable) {
    throw npu::DeviceError(name + ": " + nodes.front().name + ": " + nodes.front().reason);
  }
  return npu::xrt_device_at(index);
}

std::unique_ptr<npu::Device> open_named(const DeviceName& device) {
  if (device.name == kSimulatorBackend) {
    npu::SimDeviceOptions simulator;
    simulator.preset = device.preset;
    simulator.threads = static_cast<int>(device.threads > 0 ? device.threads : available_cpus());
    return npu::open_sim_device(simulator);
  }
  return npu::open_xrt_device({.bdf = named_npu(device.name).bdf, .xclbin = device.xclbin});
}

}  // namespace wnpu::app
