// The simulator with one thing wrong: after a launch, bits of an argument are turned.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "npu/sim/sim_device.h"
#include "tests/support/device_around.h"

namespace wnpu::tests {

struct Alteration {
  std::size_t launch = 0;  // counted from 0 since the device was opened
  std::size_t argument = 0;
  std::size_t offset = 0;  // bytes
  std::byte bits{0x01};
};

class AlteredDevice final : public DeviceAround {
 public:
  AlteredDevice(std::unique_ptr<npu::Device> inner, std::vector<Alteration> alterations)
      : DeviceAround(std::move(inner)), alterations_(std::move(alterations)) {}

  void run_all(std::span<const npu::Run> runs, std::chrono::milliseconds timeout) override {
    DeviceAround::run_all(runs, timeout);
    for (const npu::Run& run : runs) alter(run);
  }

 private:
  void alter(const npu::Run& run) {
    for (const Alteration& alteration : alterations_) {
      if (alteration.launch != n_launches_) continue;
      npu::Buffer& buffer = *run.arguments[alteration.argument];
      buffer.from_device();
      buffer.host()[alteration.offset] ^= alteration.bits;
      buffer.to_device();
    }
    ++n_launches_;
  }

  std::vector<Alteration> alterations_;
  std::size_t n_launches_ = 0;
};

}  // namespace wnpu::tests
