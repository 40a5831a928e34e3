// run_task: a core's task on its simulated data memory.
#pragma once

#include <cstddef>
#include <span>

#include "npu/core/core_tasks.h"
#include "npu/design/resident.h"

namespace wnpu::npu {

// The phase has no fault (phase_fault).
void run_task(const PhaseHeader& phase, const Step& step, std::span<std::byte> memory, Slots slots);

}  // namespace wnpu::npu
