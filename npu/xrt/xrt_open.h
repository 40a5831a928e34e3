// Finding, opening and describing devices; XRT's exceptions become DeviceError here.
#pragma once

#include <exception>
#include <string>

#include "npu/device.h"
#include "npu/xrt/xrt_compat.h"
#include "npu/xrt/xrt_devices.h"
#include "npu/xrt/xrt_hints.h"

namespace wnpu::npu {

// Calls `body`; what XRT throws becomes a DeviceError that says which device, call and cause.
template <typename Body>
decltype(auto) calling(const std::string& device, const std::string& call, Body body) {
  try {
    return body();
  } catch (const DeviceError&) {
    throw;
  } catch (const std::exception& error) {
    throw DeviceError(error_text(device, call, error.what()));
  }
}

// The device at `bdf`; empty: the first.
xrt::device open_device(const std::string& bdf);

XrtDeviceInfo describe(const xrt::device& device);

}  // namespace wnpu::npu
