// `whisper-npu models export`: a model in another format.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::app {

Subcommand export_action();

}  // namespace wnpu::app
