// run_task: a core's task on its simulated data memory.
#pragma once

#include <cstddef>
#include <span>

#include "npu/core/core_tasks.h"
#include "npu/design/resident.h"
#include "npu/ops/operator.h"

namespace wnpu::npu {

// The phase has no fault (phase_fault). `gelu`, where it is not null, has a tile kernel that stands
// in for GELU's.
void run_task(const PhaseHeader& phase, const Step& step, std::span<std::byte> memory, Slots slots,
              const Operator* gelu = nullptr);

}  // namespace wnpu::npu
