#include "app/batch/output_plan.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <unistd.h>

#include "app/batch/output_file.h"
#include "app/batch/result_guard.h"
#include "app/cli/exit_code.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

bool writes_to_stdout(const Options& options) {
  return options.output_dir.empty() && (options.output.empty() || options.output == "-" ||
                                        descriptor_of(options.output) == STDOUT_FILENO);
}

// What was asked for; openai/whisper too writes all formats to its output folder.
std::vector<Format> formats_of(const Options& options) {
  if (!options.formats.empty()) return options.formats;
  if (options.output_dir.empty()) {
    const std::string extension = fs::path(options.output).extension();
    const auto format = find_format(extension.empty() ? "" : extension.substr(1));
    return {format.value_or(Format::text)};
  }
  std::vector<Format> all;
  for (const FormatName& known : kFormats) {
    if (known.format != Format::text) all.push_back(known.format);
  }
  return all;
}

// Documents that can follow each other on one stream and still be told apart or read.
bool may_be_joined(Format format) {
  return format == Format::text || format == Format::txt || format == Format::json ||
         format == Format::jsonl;
}

void check_arguments(const Options& options, const std::vector<Format>& formats) {
  const bool many = options.inputs.size() > 1;
  if (!options.output_dir.empty()) return;
  if (formats.size() > 1) throw UsageError("more than one --format needs --output-dir");
  if (writes_to_stdout(options)) {
    if (many && !may_be_joined(formats.front())) {
      throw UsageError("this --format of more than one file needs --output-dir");
    }
    if (options.existing == ExistingOutput::skip) {
      throw UsageError("--skip-existing needs --output-dir or --output");
    }
  } else if (many) {
    throw UsageError("--output is for one input; use --output-dir");
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code ignored;  // what is no folder is none for whatever reason
  if (!fs::is_directory(folder, ignored)) {
    throw OutputError(folder.string() + ": cannot make this folder: " +
                      (error ? error.message() : "there is a file of that name"));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw OutputError(folder.string() +
                      ": expected a folder that can be written to: " + std::strerror(errno));
  }
}

// openai/whisper utils.py ResultWriter: the input's name without its last extension.
std::string stem_of(const std::string& input) {
  return input == "-" ? "stdin" : fs::path(input).stem().string();
}

std::vector<Target> targets_of(const Options& options, const std::vector<Format>& formats,
                               const std::string& input) {
  std::vector<Target> targets;
  for (const Format format : formats) {
    if (writes_to_stdout(options)) {
      targets.push_back({format, {}});
    } else if (options.output_dir.empty()) {
      targets.push_back({format, options.output});
    } else {
      const std::string name = stem_of(input) + "." + std::string(extension_of(format));
      targets.push_back({format, models::join(options.output_dir, name)});
    }
  }
  return targets;
}

// Two spellings of one file give one key, and so do links to a file that is not there yet.
fs::path key_of(const fs::path& path) {
  std::error_code error;
  const fs::path target = behind_links(path, error);
  const fs::path key = fs::weakly_canonical(target, error);
  return error ? target : key;
}

void refuse_collisions(const std::vector<PlannedInput>& plan) {
  std::map<fs::path, std::string> taken;  // file -> the input that claims it
  for (const PlannedInput& planned : plan) {
    if (planned.input != "-") taken.emplace(key_of(planned.input), "");
  }
  for (const PlannedInput& planned : plan) {
    for (const Target& target : planned.targets) {
      if (target.path.empty()) continue;
      const auto [there, is_new] = taken.emplace(key_of(target.path), planned.input);
      if (is_new) continue;
      const std::string other = there->second.empty() ? "it is an input" : there->second;
      throw UsageError(target.path.string() + ": would be written for " + planned.input + ", but " +
                       other + (there->second.empty() ? "" : " writes it too"));
    }
  }
}

bool is_there(const Target& target) {
  std::error_code error;
  return !target.path.empty() && !descriptor_of(target.path) &&
         fs::is_regular_file(target.path, error);
}

void settle_existing(ExistingOutput existing, PlannedInput& planned) {
  auto& targets = planned.targets;
  if (existing == ExistingOutput::skip) {
    const auto there = std::stable_partition(targets.begin(), targets.end(), std::not_fn(is_there));
    planned.kept.assign(there, targets.end());
    targets.erase(there, targets.end());
    planned.is_skipped = targets.empty();
  }
  const auto found = std::find_if(targets.begin(), targets.end(), is_there);
  if (existing == ExistingOutput::refuse && found != targets.end()) {
    throw OutputError(found->path.string() +
                      ": is there already; give --overwrite or --skip-existing");
  }
}

}  // namespace

std::vector<PlannedInput> plan_outputs(const Options& options) {
  std::vector<PlannedInput> plan;
  if (options.dry_run) {
    for (const std::string& input : options.inputs) plan.push_back({.input = input});
    return plan;
  }
  const std::vector<Format> formats = formats_of(options);
  check_arguments(options, formats);
  for (const std::string& input : options.inputs) {
    plan.push_back({.input = input, .targets = targets_of(options, formats, input)});
  }
  refuse_collisions(plan);
  if (!options.output_dir.empty()) make_folder(options.output_dir);
  const ResultGuard guard(options.inputs);
  for (PlannedInput& planned : plan) {
    settle_existing(options.existing, planned);
    if (planned.is_skipped) continue;
    for (const Target& target : planned.targets) guard.check(target.path);
  }
  return plan;
}

std::set<fs::path> results_of(const std::vector<PlannedInput>& plan) {
  std::set<fs::path> results;
  for (const PlannedInput& planned : plan) {
    for (const Target& target : planned.targets) {
      if (!target.path.empty()) results.insert(target.path);
    }
    for (const Target& target : planned.kept) results.insert(target.path);
  }
  return results;
}

}  // namespace wnpu::app
