// `whisper-npu stream`: speech to text while it is spoken.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand stream_command();

}  // namespace wnpu::app
