#include "app/commands/subtitles/subtitles_command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/engine/error.h"
#include "app/formats/shown_text.h"
#include "app/formats/subtitle_rules/subtitle_file.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOrder {
  std::vector<std::string> names;  // for --help; the command line brings them itself
  std::optional<SubtitleRules> rules = SubtitleRules{};
  bool is_json = false;
};

void add_subtitle_check(CLI::App& app, CheckOrder& order) {
  app.add_option("files", order.names, "SubRip or WebVTT (srt, vtt)");
  add_subtitle_rules(app, order.rules, RulesFrom::names_and_files,
                     "Rules that are to hold; a file of TOML names its own; plain: those of the "
                     "format, order and overlaps");
  add_choice(
      app, "--format", {{"text", "json"}, "text"},
      [&order](const std::string& name) { order.is_json = name == "json"; },
      "text: a violation a line; json: an object by subtitles_check.schema.json (in "
      "share/whisper-npu/schemas)");
}

struct CheckedFile {
  std::string name;
  std::size_t n_cues = 0;
  std::vector<Violation> violations;  // by their lines
};

// A film has a hundred KB of them.
constexpr std::size_t kMostSubtitleBytes = std::size_t{16} << 20U;

SubtitleFile read_subtitles(const std::string& path) {
  try {
    return parse_subtitles(bytes_of_text(path, "SubRip or WebVTT"));
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.what());
  }
}

CheckedFile check_file(const std::string& name, const std::optional<SubtitleRules>& rules) {
  SubtitleFile file = read_subtitles(name);
  const std::vector<Violation> of_cues = check_cues(file.cues, rules);
  file.violations.insert(file.violations.end(), of_cues.begin(), of_cues.end());
  std::stable_sort(
      file.violations.begin(), file.violations.end(),
      [](const Violation& a, const Violation& b) { return a.file_line < b.file_line; });
  return {name, file.cues.size(), std::move(file.violations)};
}

std::string check_text(const CheckedFile& file) {
  std::string text;
  for (const Violation& violation : file.violations) {
    text += printable(file.name) + ":" + std::to_string(violation.file_line) + ": cue " +
            std::to_string(violation.cue + 1) + ": " + std::string(name_of(violation.rule)) + ": " +
            printable(text_of(violation)) + "\n";
  }
  return text;
}

Json check_json(const CheckedFile& file) {
  Json violations = Json::array();
  for (const Violation& violation : file.violations) {
    Json each = {{"rule", name_of(violation.rule)},
                 {"line", violation.file_line},
                 {"cue", violation.cue + 1},
                 {"message", text_of(violation)}};
    if (violation.rule != Rule::format) {
      each["limit"] = violation.limit;
      each["found"] = violation.found;
    }
    violations.push_back(std::move(each));
  }
  return {{"file", file.name}, {"cues", file.n_cues}, {"violations", std::move(violations)}};
}

// The file; none where it cannot be read and there are others, which is told.
std::optional<CheckedFile> checked(const std::string& name, const CheckOrder& order, bool is_only,
                                   Messages& messages) {
  try {
    return with_errors(name, [&] { return check_file(name, order.rules); });
  } catch (const std::exception& error) {
    if (is_only || !is_of_one_file(error)) throw;
    messages.error(error.what(), name);
    return std::nullopt;
  }
}

int check_subtitles(const CheckOrder& order, const std::vector<std::string>& files) {
  if (files.empty()) throw UsageError("subtitles check: expected a file, found none");
  Messages messages(std::cerr, Verbosity::normal, false);
  Json document = {{"schema_version", 1},
                   {"rules", order.rules ? order.rules->name : "plain"},
                   {"files", Json::array()}};
  bool is_well = true;
  for (const std::string& name : files) {
    const auto file = checked(name, order, files.size() == 1, messages);
    is_well = is_well && file && file->violations.empty();
    if (!file) continue;
    if (order.is_json) {
      document["files"].push_back(check_json(*file));
    } else {
      print_report(check_text(*file));
    }
  }
  if (order.is_json) {
    print_report(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return static_cast<int>(is_well ? ExitCode::ok : ExitCode::some_failed);
}

}  // namespace

std::string bytes_of_text(const std::string& path, const std::string& expected) {
  const auto refuse = [&expected](const std::string& found) {
    throw Error(ErrorCode::audio, "expected " + expected + ", found " + found);
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse("a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string bytes;
  std::array<char, 65536> part{};
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    bytes.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > kMostSubtitleBytes) refuse("more than 16 MiB");
  }
  if (file.bad()) refuse(std::strerror(errno));
  return bytes;
}

Subcommand subtitles_command() {
  return {"subtitles",
          "Subtitle files, whoever made them",
          {},
          {},
          {subcommand("check", "Whether files of subtitles keep to rules that make them readable",
                      add_subtitle_check, check_subtitles)}};
}

}  // namespace wnpu::app
