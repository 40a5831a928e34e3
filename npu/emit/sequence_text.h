// A control program as a run-time sequence of MLIR-AIE, in the operations that its lowering ends
// with: what aie-translate makes of them is encode() of the program, byte for byte.
#pragma once

#include <string>

#include "npu/control/control_program.h"
#include "npu/design/design.h"

namespace wnpu::npu {

struct SequenceText {
  std::string globals;   // contents of blocks, each once
  std::string sequence;  // aie.runtime_sequence @name
};

// `name` is an identifier, and begins the names of the globals. Throws ControlError for an address
// that a patch cannot hold.
SequenceText sequence_text(const std::string& name, const Design& design,
                           const ControlProgram& program);

}  // namespace wnpu::npu
