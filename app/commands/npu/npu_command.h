// `whisper-npu npu`: emit, what a machine with AMD's open tools needs to make an XCLBIN, as a
// folder; and first-light, which runs it.
#pragma once

#include <vector>

#include "app/options/subcommand.h"

namespace wnpu::app {

// Its options live as long as the command does. `more`: actions of folders above this one.
Subcommand npu_command(std::vector<Subcommand> more = {});

}  // namespace wnpu::app
