// `whisper-npu npu emit`: the array's configuration, the calls and the cores' program as one
// folder, for mlir-aie and Peano.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand emit_action();

}  // namespace wnpu::app
