// What goes where, and whether it may: settled before any work starts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/options.h"

namespace wnpu::app {

struct Target {
  Format format = Format::text;
  std::filesystem::path path;  // empty: stdout
};

struct PlannedInput {
  std::string input;
  std::vector<Target> targets;
  bool is_skipped = false;  // everything is there and --skip-existing was given
};

// Makes the output folder. Throws UsageError where two results would go to one file, a result would
// replace an input, or stdout would get what cannot be told apart; OutputError where a folder
// cannot be written to or a file is there and nothing was said about it.
std::vector<PlannedInput> plan_outputs(const Options& options);

}  // namespace wnpu::app
