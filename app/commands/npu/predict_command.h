// `whisper-npu npu predict` and `npu check`: verdict and modelled time of layers' designs, one by
// options, or many as JSON, a line each.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand predict_action();
Subcommand check_action();

}  // namespace wnpu::app
