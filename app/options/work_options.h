// The options that change the work itself, not its files: transcribe takes them, and bench, which
// measures that work.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "app/options/options.h"

namespace wnpu::app {

// Once the command is parsed they are settled: parsing throws UsageError where options contradict
// each other, or one has no effect. `options` must outlive the command.
void add_work_options(CLI::App& command, Options& options);

// How rows are worked on together: of transcribe, where they come from a manifest, and of worker.
void add_row_options(CLI::App& command, RowLimits& rows);

// Options that say which recordings at URLs are fetched.
void add_url_options(CLI::App& command, Options& options);

// --stdin-format, of raw samples.
CLI::Option* add_stdin_format(CLI::App& command, std::string& target, const std::string& help);

// Whether a model that is not there is pulled.
void add_pull_options(CLI::App& command, Options& options);

// Options of add_work_options() that say which model runs where, and in what numbers.
void add_place_options(CLI::App& command, Options& options);

// --task, and --language with what it is where it is not given.
void add_task(CLI::App& command, TranscribeOptions& transcribe);
void add_language(CLI::App& command, TranscribeOptions& transcribe, const std::string& help);
void add_pool_padding(CLI::App& command, TranscribeOptions& transcribe);

}  // namespace wnpu::app
