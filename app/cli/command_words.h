// The words of a command line, sorted so that CLI11 cannot misread one. CLI11 2.1 takes the next
// word for the value of "--output=", and the next option for the value of "--output --overwrite";
// it splits a file named "[a,b]".
#pragma once

#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace wnpu::app {

struct CommandWords {
  // For CLI11: the command, its action and its options, each value in a word of its own.
  std::vector<std::string> options;
  // Everything that is neither an option nor a value; "-" too.
  std::vector<std::string> files;
};

// Names are those of `app` and its subcommands; underscores in them are dashes, and other programs'
// names are taken as foreign_options.h says. `usual` is the command that is meant where the first
// word is a file that is there, "-", or an option that it has and the program has not. Throws
// UsageError for an unknown command, action or option, with the name that is close to it, a value
// that is missing, empty where it may not be, or given to a flag, and an empty file name.
CommandWords sort_words(const CLI::App& app, const CLI::App& usual,
                        std::span<const char* const> arguments);

}  // namespace wnpu::app
