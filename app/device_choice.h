// From the device that was asked for to the device that runs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "app/transcript.h"
#include "models/precision.h"
#include "npu/device.h"
#include "npu/layer_abi.h"
#include "npu/plan.h"
#include "npu/probe.h"

namespace wnpu::app {

// What the command line says of the device.
struct DeviceOptions {
  // auto, cpu, npu, or sim: the simulated NPU, which auto never takes.
  std::string requested = "auto";
  // What the CPU computes in.
  models::Precision cpu_precision = models::auto_precision();
  // How a layer is cut into calls of the NPU.
  npu::Plan plan = npu::Plan::fused;
  // What the NPU computes in.
  npu::Precision precision = npu::Precision::bf16;
  // Array, clocks and kernel speeds whose times the simulator models.
  std::string preset = "phoenix-1.0/peano";
  // The XCLBIN; empty: looked for where npu/xrt_device.h says.
  std::string xclbin;
  // A window on which the device fails is done again on the CPU, and all after it.
  bool falls_back = false;
};

struct ChosenDevice {
  DeviceInfo info;
  std::unique_ptr<npu::Device> npu;  // none: the CPU
};

// `probed` is what npu::probe() found; the simulator gets n_threads. Throws DeviceError where the
// device that was asked for cannot be used: there is no silent fallback. auto takes an NPU that
// opens, else the CPU, and says why.
ChosenDevice choose_device(const DeviceOptions& options, std::span<const npu::ProbeResult> probed,
                           std::size_t n_threads);

}  // namespace wnpu::app
