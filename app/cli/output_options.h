// The options of transcribe that say what is written, where, and what is said beside it.
#pragma once

#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cli/options.h"

namespace wnpu::app {

// `options` must outlive the command.
void add_output_options(CLI::App& app, Options& options);
// --isolate; `usual` says what auto means.
void add_isolation(CLI::App& app, Isolation& isolation, const std::string& usual);
// --log-format, of commands that have no other of these.
void add_log_format(CLI::App& app, LogFormat& format);
// What --log-format is among these words, read before the command line is: for the errors of one
// that cannot be read. `variable` is what the environment says, null where it says nothing.
LogFormat log_format_among(std::span<const char* const> words, const char* variable);
void add_layout_options(CLI::App& app, SubtitleLayout& layout);

}  // namespace wnpu::app
