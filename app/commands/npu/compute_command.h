// `whisper-npu npu compute`: a tensor operation on an NPU or its simulator, from .npy files to one.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand compute_action();

}  // namespace wnpu::app
