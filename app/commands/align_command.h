// `whisper-npu align`: the times of a given text's words.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand align_command();

}  // namespace wnpu::app
