#include "app/engine/devices/device_warnings.h"

#include "app/engine/devices/window_encoder.h"

namespace wnpu::app {

void warn_of_devices(const DeviceInfo& device, std::size_t n_together,
                     std::vector<std::string>& warnings) {
  if (!device.fallback.empty()) {
    warnings.push_back("the device failed, the CPU took over: " + device.fallback);
  } else {
    // Heads that are divided anew, and the CPU in an NPU's place.
    const bool others_differ =
        device.split && (device.split->is_planned || device.devices.front().heads);
    for (const DeviceUse& use : device.devices) {
      if (use.failure.empty()) continue;
      std::string warning = use.name + " failed, the other devices did its work";
      if (others_differ) warning += ", which may have changed bits";
      warnings.push_back(warning + ": " + use.failure);
    }
  }
  const bool is_divided = device.split && device.split->used != kWholeWindows;
  if (device.devices.size() > 1 && n_together == 1 && !is_divided) {
    warnings.push_back("windows come one after another: of the " +
                       std::to_string(device.devices.size()) +
                       " devices one works at a time, with a batch_size above 1 all do");
  }
}

}  // namespace wnpu::app
