// `whisper-npu npu`: emit, what a machine with AMD's open tools needs to make an XCLBIN, as a
// folder; and first-light, which runs it.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::app {

// Its options live as long as the command does.
Subcommand npu_command();

}  // namespace wnpu::app
