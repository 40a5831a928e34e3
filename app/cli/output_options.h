// The options of transcribe that say what is written, where, and what is said beside it.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/options.h"

namespace wnpu::app {

// `options` must outlive the command.
void add_output_options(CLI::App& app, Options& options);
void add_layout_options(CLI::App& app, SubtitleLayout& layout);

}  // namespace wnpu::app
