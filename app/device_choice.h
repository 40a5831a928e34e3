// From what was asked for to what runs.
#pragma once

#include <span>
#include <string>

#include "app/transcript.h"
#include "npu/probe.h"

namespace wnpu::app {

// `requested` is auto, cpu or npu; `probed` is what npu::probe() found. Throws DeviceError where
// the device that was asked for cannot be used: there is no silent fallback.
DeviceInfo choose_device(const std::string& requested, std::span<const npu::ProbeResult> probed);

}  // namespace wnpu::app
