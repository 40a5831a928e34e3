// How long the array's controller takes for an operation.
#pragma once

#include "npu/control/control_program.h"
#include "npu/design/target.h"

namespace wnpu::npu {

// Cycles of the array's clock. All are one Phoenix's, with its firmware of 2026; nothing was
// measured by this project.
struct ControllerCosts {
  std::string_view name;
  Rate write;  // a register, or the address of an argument
  Rate masked_write;
  Rate block_word;  // beside `write`, for each word of a block
  Rate push;        // beside `write`, for a task
  Rate token;       // from the end of a task until its wait is over
};

// `phoenix`, the default, has the time between two tasks of an idle channel for every one: the
// worst that was seen. `phoenix-queued` has the time while the channel's queue has room, as ours
// mostly have.
const ControllerCosts& phoenix_controller();
const ControllerCosts& phoenix_queued_controller();

// Controller costs of a preset.
const ControllerCosts& controller_of(const HardwareModel& preset);

double cycles_of(const Operation& operation, const ControllerCosts& costs);

}  // namespace wnpu::npu
