// Starting a command and waiting for its end with a deadline of our own.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "npu/xrt/xrt_compat.h"

namespace wnpu::npu {

// A command with everything that must outlive it while the device works on it.
struct Launch {
  xrt_compat::Overlay overlay;
  xrt_compat::Command command;
  std::vector<xrt::bo> buffers;
};

// The deadline passed and the device is still at it.
struct DeadlinePassed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs `launch` to its end; throws what XRT throws, or DeadlinePassed. Where the command has not
// ended when this returns (by a throw), `launch` is null and the command is kept, with its buffers
// and its context, until the process ends: XRT calls abort() when a run in flight is destroyed, and
// no call of its takes a command back.
void launch_until(std::unique_ptr<Launch>& launch, std::chrono::steady_clock::time_point deadline);

}  // namespace wnpu::npu
