// Stands in for xrt_device.cpp where the build found no XRT.
#include "npu/xrt/xrt_device.h"

namespace wnpu::npu {

std::string xrt_version() { return "built without XRT"; }

XrtDevices list_xrt_devices() { return {{}, xrt_version()}; }

std::unique_ptr<Device> open_xrt_device(const XrtOptions& /*options*/) {
  throw DeviceError("npu: open: " + xrt_version() +
                    " (hint: install libxrt-dev 2.18 or later and configure with WNPU_XRT=ON)");
}

}  // namespace wnpu::npu
