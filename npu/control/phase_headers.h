// The headers of a call's phases as operations of its control program.
#pragma once

#include <string>
#include <vector>

#include "npu/control/control_program.h"

namespace wnpu::npu {

// What a header cannot say of a phase, or a core cannot do; empty where there is nothing.
std::string header_fault(const Phase& phase);

// For every core: all headers of the call as one block, then its header lock. They are a call's
// first operations, and safe there: a core reads no header after its last phase has begun, and the
// call before has ended with what the last phases made.
// Throws ControlError for a phase that has a fault, and for too many phases.
std::vector<Operation> header_operations(const Design& design);

}  // namespace wnpu::npu
