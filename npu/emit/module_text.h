// A whole module of MLIR-AIE: the array's configuration, and a run-time sequence for each of the
// calls that it is configured for.
#pragma once

#include <span>
#include <string>

#include "npu/control/control_program.h"
#include "npu/design/design.h"

namespace wnpu::npu {

// The text is that of mlir-aie's state of 2026-08-05.
inline constexpr const char* kMlirAieState = "2026-08-05";

// A call by the name that its sequence and its files have.
struct EmittedCall {
  std::string name;  // letters, digits and underscores
  Design design;
  ControlProgram program;
};

// Calls of one overlay, at least one. Throws ControlError where overlays differ.
std::string module_text(std::span<const EmittedCall> calls);

}  // namespace wnpu::npu
