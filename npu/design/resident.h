// Steps of a core's program in a phase, as data: the walk of core/phase_walk.h recorded, for
// check(), the time model and the execution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/core/task.h"
#include "npu/design/design.h"

namespace wnpu::npu {

struct Step {
  enum class Kind { take, release, compute };
  Kind kind = Kind::take;
  Port port = Port::a;
  Task task = Task::multiply;
  std::uint32_t index = 0;  // which inner step
  std::uint32_t bytes = 0;  // take a, b: those that mean something; release c: of the result
};

// Steps of a core of column `call.column`; the same in all rows.
std::vector<Step> phase_steps(const PhaseHeader& phase, const CallHeader& call);

// Cycles of one task.
double task_cycles(const PhaseHeader& phase, Task task, const KernelTable& kernels);

// core/core_memory.h as a table for the Design.
CoreLayout core_layout();

// Reason why the kernels or the buffers cannot take a phase; empty if they can.
std::string phase_fault(const PhaseHeader& phase);

}  // namespace wnpu::npu
