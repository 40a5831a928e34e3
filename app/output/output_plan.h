// Plan of outputs: each result's path, and whether it may be written, settled before any work
// starts.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"
#include "app/output/output_template.h"

namespace wnpu::app {

struct Target {
  Format format = Format::text;
  std::filesystem::path path;  // empty: stdout
  // Name that depends on the recording's language, if it does. `path` then stands for all
  // languages.
  std::optional<ResultPath> by_language = std::nullopt;

  std::filesystem::path in(const std::string& language) const {
    return by_language ? by_language->in(language) : path;
  }
};

struct PlannedInput {
  std::string input;
  std::vector<Target> targets = {};  // what will be written
  std::vector<Target> kept = {};     // with --skip-existing: what is there, and stays as it is
  bool is_skipped = false;           // with --skip-existing: everything is there
  std::string fault = {};            // why its results cannot be written, where others' can
};

// Makes the folders of results. Throws UsageError where two results would go to one file, a result
// would replace an input, or stdout would get what cannot be told apart; OutputError where a file
// is there and nothing was said about it, or a result may not go (result_guard.h); where that is
// one of several inputs' alone, it is that input's fault. A result whose name depends on the
// language is there where it is there in any language.
std::vector<PlannedInput> plan_outputs(const Options& options);

// The input of a plan that has no other, else nothing.
std::string_view only_input(const std::vector<PlannedInput>& plan);

// The batch's files: those that it writes, and those that were there.
std::set<std::filesystem::path> results_of(const std::vector<PlannedInput>& plan);

}  // namespace wnpu::app
