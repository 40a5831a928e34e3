// How long calls take: on hardware by the host's clock, on a simulator by its time model.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "npu/device.h"
#include "npu/first_light/result.h"

namespace wnpu::npu {

class CallTimer {
 public:
  // One run on a simulator, which gives the same time each time; else one that warms up and `runs`.
  CallTimer(Device& device, std::size_t runs, std::chrono::milliseconds timeout);

  // All of `list` as one submission. Throws DeviceError.
  CallTime time(const std::string& name, std::span<const Run> list);

 private:
  double once(std::span<const Run> list);  // us

  Device& device_;
  std::size_t runs_;
  std::chrono::milliseconds timeout_;
};

}  // namespace wnpu::npu
