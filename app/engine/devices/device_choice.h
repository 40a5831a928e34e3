// From the device that was asked for to the device that runs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "app/engine/devices/backends.h"
#include "app/engine/devices/window_encoder.h"
#include "app/engine/whisper_npu.hpp"
#include "models/weights/precision.h"
#include "npu/probe.h"

namespace wnpu::app {

// CPU precision that the options name. Throws Error(usage) that lists the names, for an unknown
// one.
models::Precision cpu_precision(const DeviceOptions& options);

// Whether anything is said of how an NPU is to work.
bool asks_for_npu(const DeviceOptions& options);

struct ChosenDevice {
  DeviceInfo info;
  std::vector<std::unique_ptr<EncoderDevice>> devices;  // none: the CPU
};

// How a session's lanes share the work. Throws Error(usage) for a name that does not exist.
Division division_of(const DeviceOptions& options);

// `nodes` is what npu::probe() found; the devices share n_threads, at least one each. Throws
// DeviceError where one that was asked for cannot be used: there is no silent fallback. auto takes
// a device that opens, else the CPU, and says why. Several of different targets are refused, since
// a window's bits would depend on which takes it.
ChosenDevice choose_device(const DeviceSetup& setup, std::span<const npu::ProbeResult> nodes,
                           std::size_t n_threads);

}  // namespace wnpu::app
