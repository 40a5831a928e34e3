// Kernels of a core's program as the host sees them: a row for each Kernel and each Task. The
// program itself is core/; check(), the time model and the registry ask this table alone.
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
  // Cycles of the task alone, without the overhead of a kernel's call (KernelTable::call_cycles).
  double (*cycles)(const PhaseHeader&, const KernelTable&);
};

// In the order of the enums, one row each.
std::span<const CoreKernel> core_kernels();
std::span<const CoreTask> core_tasks();

}  // namespace wnpu::npu
