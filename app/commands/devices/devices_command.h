// `whisper-npu devices` and `whisper-npu doctor`: what there is to run on, and whether it works.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand devices_command();
Subcommand doctor_command();

}  // namespace wnpu::app
