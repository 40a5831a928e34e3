// `whisper-npu quantize`: a model with its matrices in fewer bits, and what that costs each layer.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand quantize_command();

}  // namespace wnpu::app
