// `whisper-npu models convert`: a model as one file that needs no packing.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand convert_action();

}  // namespace wnpu::app
