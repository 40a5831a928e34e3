// The NPU through XRT. Built without XRT the same functions say so (xrt_absent.cpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "npu/device.h"

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

// "XRT 2.25", or "built without XRT".
std::string xrt_version();

struct XrtOptions {
  std::string bdf;               // which device; empty: the first
  std::filesystem::path xclbin;  // empty: looked for, see find_xclbin
  std::string target;            // "npu1", "npu4"; empty: by the device's columns
};

// Opens the device and loads the XCLBIN. Its programs are the instruction streams that the manifest
// names. Programs and buffers must not outlive the device; one thread at a time.
// After a deadline has passed the device refuses further runs: the command may still be writing.
std::unique_ptr<Device> open_xrt_device(const XrtOptions& options);

}  // namespace wnpu::npu
