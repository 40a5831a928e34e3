// `whisper-npu npu tune`: a search for a layer's plan by the time model, and the file that keeps
// it.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand tune_action();

}  // namespace wnpu::app
