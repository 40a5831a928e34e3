// `whisper-npu npu search`: encoders under limits of time and memory, as a table, JSON and a page,
// and what they still hear where a model is named.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::bench {

app::Subcommand search_action();

}  // namespace wnpu::bench
