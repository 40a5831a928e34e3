// One device that works without a model, by its name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "npu/device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::app {

// XRT device called "npu" or "npu:N". Throws Error(usage) for another name, DeviceError if there is
// no such device.
npu::XrtDeviceInfo named_npu(const std::string& name);

struct DeviceName {
  std::string name = "sim";  // "npu", "npu:1", "sim"
  std::string xclbin = {};   // of an NPU; empty: looked for
  std::string preset = {};   // of the simulator
  unsigned threads = 0;      // of the simulator; 0: as many as this process may use
};
// Throws Error(usage), DeviceError.
std::unique_ptr<npu::Device> open_named(const DeviceName& device);

}  // namespace wnpu::app
