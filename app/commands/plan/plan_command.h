// `whisper-npu plan`: what a job of transcriptions takes, from a few of its rows.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand plan_command();

}  // namespace wnpu::app
