// The control program of a call: its tasks in the order in which a controller that takes no time
// would give them. Every wait in it is for what comes earlier in that order, so that the one
// controller never waits for ever.
#pragma once

#include "npu/control/call_program.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {

struct CompiledCall {
  CallProgram program;
  SimReport ideal;  // with a controller that takes no time
};

// The preset's kernel speeds decide the order of tasks on different channels, nothing else.
CompiledCall compile_call(const Design& design, const HardwareModel& preset);

// The program that every device runs, at whatever speeds: design_hash names it, check() has looked
// at it. Its order is that of the target's usual preset, but for the speed of products: that of the
// first of these programs, so that a new figure of the time model makes no new program.
CallProgram control_program(const Design& design);

// Cycles and milliseconds (launch not included) of the call under its control program, which is
// simulated without data.
struct TimedCall {
  CallProgram program;
  SimReport report;
};
// With `order`, which may be null, the order of all accesses is looked at, too.
TimedCall time_call(const Design& design, const HardwareModel& preset, bool records_moves = false,
                    OrderCheck* order = nullptr);

}  // namespace wnpu::npu
