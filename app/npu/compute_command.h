// `whisper-npu npu compute`: a tensor operation on an NPU or its simulator, from .npy files to one.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::app {

Subcommand compute_action();

}  // namespace wnpu::app
