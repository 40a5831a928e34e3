// `whisper-npu models convert`: a model as one file that needs no packing.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::app {

Subcommand convert_action();

}  // namespace wnpu::app
