// From the device that was asked for to the device that runs.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/engine/whisper_npu.hpp"
#include "encoder/npu/npu_backend.h"
#include "models/weights/precision.h"
#include "npu/device.h"
#include "npu/probe.h"

namespace wnpu::app {

// What can run the encoder. sim: the simulated NPU, which auto never takes.
inline constexpr std::array<std::string_view, 3> kDevices{"cpu", "npu", "sim"};
// That, or the choice of one of them.
inline constexpr std::string_view kAutoDevice = "auto";

// What the options name. Throws Error(usage) that lists the names, for one that does not exist.
models::Precision cpu_precision(const DeviceOptions& options);
encoder::NpuOptions npu_options(const DeviceOptions& options);

// Whether anything is said of how an NPU is to work.
bool asks_for_npu(const DeviceOptions& options);

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
