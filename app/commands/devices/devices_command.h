// `whisper-npu devices`: what there is to run on.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand devices_command();

}  // namespace wnpu::app
