// The options of transcribe that say what is written, where, and what is said beside it.
#pragma once

#include <optional>
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
// Whether --subtitle-rules may name a file: a server reads none for its clients.
enum class RulesFrom { names, names_and_files };
// --subtitle-rules; its default is what `rules` has already.
void add_subtitle_rules(CLI::App& app, std::optional<SubtitleRules>& rules, RulesFrom from,
                        const std::string& help);
void add_layout_options(CLI::App& app, SubtitleLayout& layout, RulesFrom from);

}  // namespace wnpu::app
