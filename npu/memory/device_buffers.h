// The buffers of a plan, allocated on a device.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "npu/device.h"
#include "npu/memory/buffer_plan.h"

namespace wnpu::npu {

class DeviceBuffers {
 public:
  DeviceBuffers() = default;
  // Buffers on `program`'s device, which must outlive them. Throws DeviceError.
  DeviceBuffers(const BufferPlan& plan, Program& program);

  // The buffer of a use, by its place among the plan's; it may be longer than the use needs.
  Buffer& operator[](std::size_t use) { return *buffers_.at(place_.at(use)); }

 private:
  std::vector<std::size_t> place_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace wnpu::npu
