// From the devices that were asked for to the devices that run.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/engine/devices/backends.h"
#include "app/engine/whisper_npu.hpp"
#include "npu/probe.h"

namespace wnpu::app {

// Checks that need neither device nor file. Throws Error(usage) that names the field.
void check_options(const DeviceOptions& options);

struct ChosenDevice {
  DeviceInfo info;
  std::unique_ptr<EncoderSet> devices;  // none: the CPU
};

// `nodes` is what npu::probe() found; the devices share n_threads, at least one each. Throws
// DeviceError where one that was asked for cannot be used: there is no silent fallback. auto takes
// a device that opens, else the CPU, and says why. Several of different targets are refused, since
// a window's bits would depend on which takes it.
ChosenDevice choose_device(const DeviceSetup& setup, std::span<const npu::ProbeResult> nodes,
                           std::size_t n_threads);

// Appends what a transcript says of devices that failed, or had nothing to do. n_together: windows
// that could be at work at once.
void warn_of_devices(const DeviceInfo& device, std::size_t n_together,
                     std::vector<std::string>& warnings);

}  // namespace wnpu::app
