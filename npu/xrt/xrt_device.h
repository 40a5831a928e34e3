// The NPU through XRT. Built without XRT the same functions say so (xrt_absent.cpp).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "npu/device.h"
#include "npu/xrt/xrt_devices.h"

namespace wnpu::npu {

struct XrtOptions {
  std::string bdf;               // which device; empty: the first
  std::filesystem::path xclbin;  // empty: looked for, see find_xclbin
};

// Opens the device and loads the XCLBIN. Its programs are the instruction streams that the manifest
// names. Programs and buffers must not outlive the device; one thread at a time.
// After a deadline has passed the device refuses further runs: the command may still be writing.
std::unique_ptr<Device> open_xrt_device(const XrtOptions& options);

}  // namespace wnpu::npu
