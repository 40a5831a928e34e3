// Devices of a test as the engine has them: arrays "sim:0", "sim:1", ...
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/devices/npu_devices.h"

namespace wnpu::tests {

inline std::unique_ptr<app::EncoderSet> npu_set(std::vector<std::unique_ptr<npu::Device>> devices,
                                                const app::DeviceSetup& setup = {}) {
  std::vector<encoder::NpuArray> arrays;
  for (auto& device : devices) {
    arrays.push_back({"sim:" + std::to_string(arrays.size()), std::move(device)});
  }
  return app::npu_devices(std::move(arrays), setup);
}

inline std::unique_ptr<app::EncoderSet> npu_set(std::unique_ptr<npu::Device> device,
                                                const app::DeviceSetup& setup = {}) {
  std::vector<std::unique_ptr<npu::Device>> devices;
  devices.push_back(std::move(device));
  return npu_set(std::move(devices), setup);
}

}  // namespace wnpu::tests
