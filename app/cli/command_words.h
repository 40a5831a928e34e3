// The words of a command line, sorted so that CLI11 cannot misread one. CLI11 2.1 takes the next
// word for the value of "--output=", and the next option for the value of "--output --overwrite";
// it splits a file named "[a,b]".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options/settings.h"

namespace wnpu::app {

struct CommandWords {
  // For CLI11: the command, its action and its options, each value in a word of its own.
  std::vector<std::string> options;
  // Everything that is neither an option nor a value; "-" too.
  std::vector<std::string> files;

  const CLI::App* command = nullptr;      // that was named, or is meant; nullptr: none
  std::size_t n_before_settings = 0;      // of the options: the words that name the command
  std::vector<const CLI::Option*> given;  // all that the command line has
  std::optional<std::string> config;      // what --config says
};

// Names are those of `app` and its subcommands; underscores in them are dashes, and other programs'
// names are taken as foreign_options.h says. `usual` is the command that is meant where the first
// word is a file that is there, "-", or an option that it has and the program has not. Throws
// UsageError for an unknown command, action or option, with the name that is close to it, a value
// that is missing, empty where it may not be, or given to a flag, and an empty file name.
CommandWords sort_words(const CLI::App& app, const CLI::App& usual,
                        std::span<const char* const> arguments);

// Adds those settings of the command that its command line does not give, and their names and
// places to `origins`. Throws UsageError for an empty value where none may be.
void add_settings(CommandWords& words, const std::vector<Setting>& settings, Origins& origins);

}  // namespace wnpu::app
