// Power draw of the NPU, if its driver reports one.
#pragma once

#include <filesystem>
#include <optional>

namespace wnpu::npu {

// Watts, of the first accelerator whose driver has a sensor: Linux, Documentation/hwmon/
// sysfs-interface: power1_input, else power1_average, in microwatts. Whether amdxdna has one was
// not seen. `root` is for tests.
std::optional<double> npu_watts(const std::filesystem::path& root = "/");

}  // namespace wnpu::npu
