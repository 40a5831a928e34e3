// What the host knows of the kernels that a core's program has: a row a Kernel and a row a Task.
// The program itself is core/; what check(), the time model and the registry ask of a kernel is
// here and nowhere else.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "npu/core/phase_header.h"
#include "npu/core/task.h"
#include "npu/design/kernel_table.h"

namespace wnpu::npu {

// A number of a phase that has to be a multiple, and at most so much.
struct SizeLimit {
  std::string_view name;
  std::size_t (*value)(const PhaseHeader&);
  std::size_t multiple;
  std::size_t most;
};

struct CoreKernel {
  Kernel kernel;
  std::string_view name;
  std::span<const SizeLimit> sizes;  // multiples: kernel/tile_shapes.h; most: core/core_memory.h
};

struct CoreTask {
  Task task;
  std::string_view name;
  // Of the task alone, without what every call of a kernel costs (KernelTable::call_cycles).
  double (*cycles)(const PhaseHeader&, const KernelTable&);
};

// In the order of the enums, one row each.
std::span<const CoreKernel> core_kernels();
std::span<const CoreTask> core_tasks();

}  // namespace wnpu::npu
