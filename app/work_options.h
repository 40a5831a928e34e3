// The options that change the work itself, not its files: transcribe takes them, and bench, which
// measures that work.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace wnpu::app {

// `options` must outlive the command.
void add_work_options(CLI::App& command, Options& options);

// To be called once the command line is parsed. Throws UsageError where options contradict each
// other.
void settle_work_options(Options& options);

}  // namespace wnpu::app
