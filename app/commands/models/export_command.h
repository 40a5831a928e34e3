// `whisper-npu models export`: a model in another format.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand export_action();

}  // namespace wnpu::app
