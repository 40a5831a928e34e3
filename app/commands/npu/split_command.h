// `whisper-npu npu split`: what the time model says of every way to divide an encoder among
// devices.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand split_action();

}  // namespace wnpu::app
