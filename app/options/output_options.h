// The options of transcribe that say what is written, where, and what is said beside it.
#pragma once

#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "app/options/options.h"

namespace wnpu::app {

// `options` must outlive the command.
void add_output_options(CLI::App& app, Options& options);
// --isolate; `usual` says what auto means.
void add_isolation(CLI::App& app, Isolation& isolation, const std::string& usual);
// --log-format, of commands that have no other of these.
void add_log_format(CLI::App& app, LogFormat& format);
// Value of --log-format among these words, read before the command line is parsed: for the errors
// of a line that cannot be. `variable` is the environment's value, null if there is none.
LogFormat log_format_among(std::span<const char* const> words, const char* variable);
void add_layout_options(CLI::App& app, SubtitleLayout& layout);

}  // namespace wnpu::app
