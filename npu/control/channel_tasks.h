// A channel's transfers as tasks: chains of buffer descriptors, and how often each is run. Elements
// that follow one another without a gap or a lock become one descriptor; those that come again at
// even distances become repetitions of a chain (iteration); slots of a ring become steps of one
// descriptor.
#pragma once

#include <cstdint>
#include <vector>

#include "npu/control/buffer_descriptor.h"

namespace wnpu::npu {

struct TaskDescriptor {
  BufferDescriptor content;    // `next` counts within the chain
  std::uint32_t argument = 0;  // shim: whose bytes
  bool operator==(const TaskDescriptor&) const = default;
};

struct ChannelTask {
  std::vector<TaskDescriptor> chain;
  std::uint32_t repeats = 1;
  std::size_t transfer = 0;  // the first that it moves elements of: its wait comes before the task
  std::uint64_t elements = 0;  // of the channel's elements, in their order
};

// Tasks of a shim's or mem tile's channel. The design's accesses have to be legal (check.h).
std::vector<ChannelTask> channel_tasks(const Design& design, std::size_t channel);

}  // namespace wnpu::npu
