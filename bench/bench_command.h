// `whisper-npu bench`: options -> one mode -> tables or JSON on stdout.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::bench {

// Its options live as long as the command does.
app::Subcommand bench_command();

}  // namespace wnpu::bench
