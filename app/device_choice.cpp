#include "app/device_choice.h"

#include <algorithm>

#include "npu/device.h"

namespace wnpu::app {

DeviceInfo choose_device(const std::string& requested, std::span<const npu::ProbeResult> probed) {
  DeviceInfo device;
  device.requested = requested;
  device.used = "cpu";
  if (requested == "cpu") return device;
  const auto usable =
      std::find_if(probed.begin(), probed.end(), [](const auto& found) { return found.usable; });
  if (usable != probed.end()) {
    device.reason = usable->name + ": this version has no NPU program to run on it";
  } else {
    const npu::ProbeResult& first = probed.front();  // probe() is never empty
    device.reason = first.name == "npu" ? first.reason : first.name + ": " + first.reason;
  }
  if (requested == "npu") throw npu::DeviceError("npu: " + device.reason);
  return device;
}

}  // namespace wnpu::app
