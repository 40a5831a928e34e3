// `whisper-npu speakers`: who speaks when, without a transcript.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand speakers_command();

}  // namespace wnpu::app
