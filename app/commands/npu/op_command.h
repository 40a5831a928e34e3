// `whisper-npu npu op`: what operators there are, what they are, whether they are what they say,
// and how long they take.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand op_action();

}  // namespace wnpu::app
