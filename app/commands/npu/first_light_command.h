// `whisper-npu npu first-light`: the calls of a layer on an NPU, or on its simulator, compared with
// the simulator's bits and timed.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand first_light_action();

}  // namespace wnpu::app
