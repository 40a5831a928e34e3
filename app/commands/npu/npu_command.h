// `whisper-npu npu`: a file an action, listed in npu_command.cpp.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

// Its options live as long as the command does.
Subcommand npu_command();

}  // namespace wnpu::app
