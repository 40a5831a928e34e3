// `whisper-npu models`: model files themselves. An action is a file of this folder.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand models_command();

}  // namespace wnpu::app
