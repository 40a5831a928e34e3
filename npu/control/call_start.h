// Start of a call's control program, before any task: lock values and phase headers.
#pragma once

#include <string>
#include <vector>

#include "npu/control/control_program.h"

namespace wnpu::npu {

// Problem with a phase that a header cannot encode or a core cannot run; empty if there is none.
std::string header_fault(const Phase& phase);

// A lock as its tile counts it.
int lock_id(const Design& design, std::size_t lock);

// The locks of mem tiles to their initial values: the call before had others and has left what it
// left. Then for every core all headers of the call as one block, and its header lock. Safe, since
// the call before has waited for all that it made: no descriptor is at work, and a core reads no
// header after its last phase has begun.
// Throws ControlError for a phase that has a fault, and for too many phases.
std::vector<Operation> start_operations(const Design& design);
// Operations that write the cores' phase headers, a part of start_operations().
std::vector<Operation> header_operations(const Design& design);

}  // namespace wnpu::npu
