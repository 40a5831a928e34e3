// `whisper-npu doctor`: whether what a transcription needs is there and works.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand doctor_command();

}  // namespace wnpu::app
