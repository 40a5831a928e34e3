#include "app/output/output_plan.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <unistd.h>

#include "app/options/exit_code.h"
#include "app/output/result_guard.h"
#include "app/system/output_file.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// Whether each result has a name of its own.
bool has_names(const Options& options) {
  return !options.output_dir.empty() || !options.output_template.empty();
}

OutputTemplate template_of(const Options& options) {
  if (!options.output_template.empty()) return OutputTemplate(options);
  Options usual = options;
  usual.output_template = "{stem}.{ext}";
  return OutputTemplate(usual);
}

bool writes_to_stdout(const Options& options) {
  return !has_names(options) && (options.output.empty() || options.output == "-" ||
                                 descriptor_of(options.output) == STDOUT_FILENO);
}

// Output formats requested; like openai/whisper, all formats if there is only an output folder.
std::vector<Format> formats_of(const Options& options) {
  if (!options.formats.empty()) return options.formats;
  if (!has_names(options)) {
    const std::string extension = fs::path(options.output).extension();
    const auto format = find_format(extension.empty() ? "" : extension.substr(1));
    return {format.value_or(Format::text)};
  }
  if (const OutputTemplate names = template_of(options); !names.has_extension()) {
    return {find_format(names.extension()).value_or(Format::text)};
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
  const bool is_text = formats.front() == Format::text || formats.front() == Format::txt;
  const bool prints_text = writes_to_stdout(options) && is_text;
  if (options.headers == Headers::on && !prints_text && options.verbosity != Verbosity::verbose) {
    throw UsageError("--headers on has no effect: it needs text on stdout");
  }
  const bool prints_lines = writes_to_stdout(options) && formats.front() == Format::text;
  if (options.color == Color::always && !prints_lines && options.verbosity != Verbosity::verbose) {
    throw UsageError("--color always has no effect: it needs --format text on stdout");
  }
  if (has_names(options)) return;
  if (formats.size() > 1) {
    throw UsageError("more than one --format needs --beside, --output-dir or --output-template");
  }
  if (writes_to_stdout(options)) {
    if (many && !may_be_joined(formats.front())) {
      throw UsageError(
          "this --format of more than one file needs --beside, --output-dir or --output-template");
    }
    if (options.existing == ExistingOutput::skip) {
      throw UsageError(
          "--skip-existing needs --beside, --output-dir, --output-template or --output");
    }
  } else if (many) {
    throw UsageError("--output is for one input; use --beside, --output-dir or --output-template");
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code ignored;  // what is no folder is none for whatever reason
  if (!fs::is_directory(folder, ignored)) {
    const std::string text = folder.string() + ": cannot make this folder: " +
                             (error ? error.message() : "there is a file of that name");
    const bool is_its_name =
        !error || error == std::errc::filename_too_long || error == std::errc::not_a_directory;
    if (is_its_name) throw OneOutputError(text);
    throw OutputError(text);
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw OutputError(folder.string() +
                      ": expected a folder that can be written to: " + std::strerror(errno));
  }
}

Target target_of(const ResultPath& path, Format format) {
  Target target{format, path.in("{lang}")};
  if (path.needs_language()) target.by_language = path;
  return target;
}

std::vector<PlannedInput> plan_inputs(const Options& options, const std::vector<Format>& formats) {
  std::vector<PlannedInput> plan;
  const fs::path only = writes_to_stdout(options) ? "" : options.output;
  const auto names = has_names(options) ? std::optional(template_of(options)) : std::nullopt;
  for (const std::string& input : options.inputs) {
    plan.push_back({.input = input});
    for (const Format format : formats) {
      plan.back().targets.push_back(
          names ? target_of(names->path_of(input, plan.size(), format), format)
                : Target{format, only});
    }
  }
  return plan;
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

bool is_result(const fs::path& path) {
  std::error_code error;
  return !path.empty() && !descriptor_of(path) && fs::is_regular_file(path, error);
}

// The files that the target may be and that are there.
std::vector<fs::path> found_of(const Target& target) {
  std::vector<fs::path> paths;
  if (!target.by_language) {
    paths.push_back(target.path);
  } else {
    paths.push_back(target.by_language->in(""));
    for (const models::Language& language : models::all_languages()) {
      paths.push_back(target.by_language->in(language.code));
    }
  }
  std::erase_if(paths, std::not_fn(is_result));
  return paths;
}

bool is_there(const Target& target) { return !found_of(target).empty(); }

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
    throw OutputError(found_of(*found).front().string() +
                      ": is there already; give --overwrite or --skip-existing");
  }
}

// Does `check` for each input; what is wrong with the results of one of several is its fault.
void for_each_input(std::vector<PlannedInput>& plan,
                    const std::function<void(PlannedInput&)>& check) {
  for (PlannedInput& planned : plan) {
    try {
      if (planned.fault.empty()) check(planned);
    } catch (const OneOutputError& error) {
      if (plan.size() == 1) throw;
      planned.fault = error.what();
    }
  }
}

void make_folders(const Options& options, std::vector<PlannedInput>& plan) {
  if (!options.output_dir.empty()) make_folder(options.output_dir);
  if (!has_names(options)) return;
  std::set<fs::path> made = {fs::path()};  // the working folder
  for_each_input(plan, [&made](const PlannedInput& planned) {
    for (const Target& target : planned.targets) {
      const fs::path folder = target.path.parent_path();
      if (made.contains(folder)) continue;
      make_folder(folder);
      made.insert(folder);
    }
  });
}

void check_targets(const ResultGuard& guard, const PlannedInput& planned) {
  for (const Target& target : planned.targets) {
    guard.check(target.path);
    if (!target.by_language) continue;
    for (const fs::path& path : found_of(target)) guard.check(path);
  }
}

}  // namespace

std::string_view only_input(const std::vector<PlannedInput>& plan) {
  return plan.size() == 1 ? std::string_view(plan.front().input) : std::string_view();
}

std::vector<PlannedInput> plan_outputs(const Options& options) {
  std::vector<PlannedInput> plan;
  if (options.dry_run) {
    for (const std::string& input : options.inputs) plan.push_back({.input = input});
    return plan;
  }
  const std::vector<Format> formats = formats_of(options);
  check_arguments(options, formats);
  plan = plan_inputs(options, formats);
  refuse_collisions(plan);
  make_folders(options, plan);
  const ResultGuard guard(options.inputs);
  for_each_input(plan, [&](PlannedInput& planned) {
    settle_existing(options.existing, planned);
    if (!planned.is_skipped) check_targets(guard, planned);
  });
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
