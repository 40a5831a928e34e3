#include "npu/xrt/xrt_devices.h"

#include "npu/device.h"

namespace wnpu::npu {

XrtDeviceInfo xrt_device_at(std::size_t index) {
  XrtDevices found = list_xrt_devices();
  if (index < found.devices.size()) return std::move(found.devices[index]);
  throw DeviceError("npu:" + std::to_string(index) + ": expected one of " +
                    std::to_string(found.devices.size()) + " devices" +
                    (found.problem.empty() ? "" : "; " + found.problem));
}

}  // namespace wnpu::npu
