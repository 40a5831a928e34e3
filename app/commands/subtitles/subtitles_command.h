// `whisper-npu subtitles`: subtitle files, whoever made them.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand subtitles_command();

}  // namespace wnpu::app
