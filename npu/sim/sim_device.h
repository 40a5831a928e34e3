// The simulated NPU as a Device. It punishes what hardware punishes: device memory is apart from
// host memory, full of NaN and reached by sync alone; calls with arguments that are missing, short
// or another device's are refused; writes beyond a buffer are found; and failures can be ordered.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "npu/design/target.h"
#include "npu/device.h"

namespace wnpu::npu {

struct Operator;  // npu/ops/operator.h

// A failure to order, for tests of whoever uses the device.
struct InjectedFailure {
  enum class Kind { none, command_error, timeout };
  Kind kind = Kind::none;
  std::size_t launch = 0;  // counted from 0 since the device was opened
};

struct SimDeviceOptions {
  std::string preset{kDefaultPreset};  // target.h find_preset
  std::optional<HardwareModel> times =
      std::nullopt;  // instead of the preset's, for tests of what measures time
  int threads = 1;   // host threads for the tile kernels
  InjectedFailure failure;
  // Stands in for GELU: its tile kernel for the results, its cost for the time. Null: none.
  std::shared_ptr<const Operator> gelu = nullptr;
};

// Throws DeviceError for an unknown preset or a number of threads below 1.
std::unique_ptr<Device> open_sim_device(const SimDeviceOptions& options = {});

}  // namespace wnpu::npu
