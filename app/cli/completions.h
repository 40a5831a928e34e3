// Shell completion (the TAB key), from the same declarations that --help prints.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace wnpu::app {

enum class Shell { bash, zsh, fish };

// A script for that shell: commands, actions, options, values of those that have a list, and files
// where they are taken. `usual` is the command that may be left out. Options of kModelType offer
// `models`, those that can be pulled, and what `models list --here --names` prints at the TAB key.
std::string completions_of(const CLI::App& program, const CLI::App& usual,
                           const std::vector<std::string>& models, Shell shell);

}  // namespace wnpu::app
