// The NPUs that XRT shows. Built without XRT the same functions say so (xrt_absent.cpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wnpu::npu {

// One device that XRT shows. What a driver does not tell stays empty, or 0.
struct XrtDeviceInfo {
  std::string bdf;         // PCI address: "0000:c4:00.1"
  std::string name;        // "NPU Phoenix", "RyzenAI-npu4"
  std::string firmware;    // "1.5.5.391"
  std::string power_mode;  // "default", "powersaver", "balanced", "performance", "turbo"
  std::size_t columns = 0;
};

struct XrtDevices {
  std::vector<XrtDeviceInfo> devices;
  std::string problem;  // why there is none, as far as XRT knows
};
XrtDevices list_xrt_devices();

// The one that "npu:INDEX" names, in the order of the list. Throws DeviceError: how many there are.
XrtDeviceInfo xrt_device_at(std::size_t index);

struct Target;  // npu/design/target.h

// The array that it is, by its columns.
const Target& target_of_device(const XrtDeviceInfo& info);

// "XRT 2.25", or "built without XRT".
std::string xrt_version();

}  // namespace wnpu::npu
