// Plans which uses can share one device buffer (BO): uses that are never live in the same step. The
// caller lists each use with its first and last step; the plan allocates as few bytes as possible.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npu/device.h"

namespace wnpu::npu {

// Use of one buffer: its size, argument and the steps that need it.
struct BufferUse {
  std::string name;
  std::size_t bytes = 0;
  int argument = 0;       // of the programs that get it (device.h)
  std::size_t first = 0;  // step in which it is first needed
  std::size_t last = 0;   // and in which it is last needed
};

struct PlannedBuffer {
  std::size_t bytes = 0;
  int argument = 0;
};

struct BufferPlan {
  std::vector<PlannedBuffer> buffers;  // what is allocated
  std::vector<std::size_t> place;      // of each use: which of them
  std::size_t apart_bytes = 0;         // if every use had a buffer of its own
  std::size_t least_bytes = 0;         // needed in the step that needs most: no plan takes less

  std::size_t bytes() const;  // of all buffers
};

// The largest first, each into the first buffer that is free in all of its steps; the same uses
// give the same plan. Throws std::invalid_argument for a use that ends before it begins.
BufferPlan plan_buffers(std::span<const BufferUse> uses);

// Throws DeviceError, which names the work and the least limit that would do, where `bytes` are
// more than the limit. No limit: nothing is refused.
void require_memory(std::optional<std::size_t> limit, std::size_t bytes, const std::string& work);

// The buffers of a plan, allocated on a device.
class DeviceBuffers {
 public:
  DeviceBuffers() = default;
  // Buffers on `program`'s device, which must outlive them. Throws DeviceError.
  DeviceBuffers(const BufferPlan& plan, Program& program) : place_(plan.place) {
    for (const PlannedBuffer& buffer : plan.buffers) {
      buffers_.push_back(program.allocate(buffer.bytes, buffer.argument));
    }
  }

  // The buffer of a use, by its place among the plan's; it may be longer than the use needs.
  Buffer& operator[](std::size_t use) { return *buffers_.at(place_.at(use)); }

 private:
  std::vector<std::size_t> place_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace wnpu::npu
