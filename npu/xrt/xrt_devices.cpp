#include "npu/xrt/xrt_devices.h"

#include "npu/design/target.h"
#include "npu/device.h"

namespace wnpu::npu {

XrtDeviceInfo xrt_device_at(std::size_t index) {
  XrtDevices found = list_xrt_devices();
  if (index < found.devices.size()) return std::move(found.devices[index]);
  throw DeviceError("npu:" + std::to_string(index) + ": expected one of " +
                    std::to_string(found.devices.size()) + " devices" +
                    (found.problem.empty() ? "" : "; " + found.problem));
}

// Strix has 8 columns, Phoenix and Hawk Point 5, of which 4 are usable (npu1_regs.c, npu4_regs.c of
// the amdxdna driver).
const Target& target_of_device(const XrtDeviceInfo& info) {
  return info.columns >= 8 ? npu4() : npu1();
}

}  // namespace wnpu::npu
