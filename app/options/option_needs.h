// Options that do something only beside others: given alone they are refused, not ignored.
#pragma once

#include <CLI/CLI.hpp>

#include "app/options/options.h"

namespace wnpu::app {

// Turns word times on for options that are about words, where --word-timestamps is not given.
void turn_on_words(const CLI::App& command, Options& options);

// Whether an option of the detector of speech is given, which so is turned on.
bool asks_for_vad(const CLI::App& command);

// Throws UsageError for an option of the parsed command that has no effect. One with its default
// value, or None, may always be given: openai-whisper's users write those.
void check_needs(const CLI::App& command, const Options& options);

}  // namespace wnpu::app
