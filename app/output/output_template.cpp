#include "app/output/output_template.h"

#include <algorithm>
#include <array>

#include "app/options/exit_code.h"
#include "app/system/url.h"
#include "models/base/closest_name.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kTemplateFields = {"dir",  "stem",  "name", "ext",
                                                             "lang", "model", "task", "n"};
constexpr const char* kOption = "--output-template: ";

[[noreturn]] void refuse_template(const std::string& message) {
  throw UsageError(kOption + message);
}

std::string checked_field(std::string name) {
  if (std::ranges::find(kTemplateFields, name) != kTemplateFields.end()) return name;
  const std::vector<std::string> names(kTemplateFields.begin(), kTemplateFields.end());
  const std::string close = models::closest_name(name, names);
  std::string message = "there is no field {" + name + "}";
  message += close.empty() ? "; a brace is written {{ or }}" : "; did you mean {" + close + "}?";
  refuse_template(message);
}

std::vector<std::string> split_at_slashes(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string last_name(const std::string& path) {
  fs::path name = path;
  if (!name.has_filename()) name = name.parent_path();
  return name.filename().string();
}

// The path of an input's file; of what has none, a name in the working directory.
fs::path file_of(const std::string& input) {
  if (input == "-") return "stdin";
  return is_web_url(input) ? name_in_url(input) : input;
}

bool leads_elsewhere(const std::string& part) { return part == "." || part == ".."; }

}  // namespace

std::string stem_of(const std::string& input) { return file_of(input).stem().string(); }

fs::path ResultPath::in(std::string_view language) const {
  const std::string known(language.empty() ? "und" : language);
  std::string file = name.front();
  for (std::size_t i = 1; i < name.size(); ++i) file += known + name[i];
  return models::join(folder, file);
}

OutputTemplate::OutputTemplate(const Options& options)
    : text_(options.output_template),
      output_dir_(options.output_dir),
      subfolders_(options.subfolders),
      language_(options.transcribe.language),
      model_(last_name(options.model)),
      task_(options.transcribe.task == Task::translate ? "translate" : "transcribe") {
  for (const std::string& part : split_at_slashes(text_)) parts_.push_back(parse_part(part));
  check(options);
}

OutputTemplate::Part OutputTemplate::parse_part(std::string_view text) {
  Part part;
  const auto add = [&part](char c) {
    if (part.empty() || !part.back().name.empty()) part.push_back({"", ""});
    part.back().text += c;
  };
  while (!text.empty()) {
    const char first = text.front();
    const bool is_brace = first == '{' || first == '}';
    const bool is_double = text.size() > 1 && text[1] == first;
    if (!is_brace || is_double) {
      add(first);
      text.remove_prefix(is_brace ? 2 : 1);
      continue;
    }
    const std::size_t end = first == '{' ? text.find('}') : std::string_view::npos;
    if (end == std::string_view::npos) {
      refuse_template("a brace without its other in " + std::string(text) +
                      "; a brace is written {{ or }}");
    }
    part.push_back({checked_field(std::string(text.substr(1, end - 1))), ""});
    text.remove_prefix(end + 1);
  }
  return part;
}

void OutputTemplate::check(const Options& options) const {
  const auto has = [](const Part& part, std::string_view name) {
    return std::ranges::any_of(part, [&](const Field& field) { return field.name == name; });
  };
  if (parts_.front().empty() && !output_dir_.empty()) {
    refuse_template("expected a path below --output-dir, found " + text_);
  }
  if (parts_.back().empty()) refuse_template("expected a file's name at its end, found " + text_);
  for (const Part& part : parts_) {
    const bool is_first = &part == &parts_.front();
    const bool is_last = &part == &parts_.back();
    if (has(part, "dir") && !(is_first && part.size() == 1 && !is_last)) {
      refuse_template("{dir} is a folder, and stands in front: {dir}/{stem}.{ext}");
    }
    if (has(part, "dir") && !output_dir_.empty()) {
      refuse_template("{dir} is the recording's folder: leave it out, or --output-dir");
    }
    if (has(part, "lang") && !is_last && language_.empty()) {
      refuse_template("{lang} in the name of a folder needs --language: it is not known before");
    }
  }
  if (options.formats.size() > 1 && !has_extension()) {
    refuse_template("several formats need {ext} in it");
  }
}

bool OutputTemplate::has_extension() const {
  return std::ranges::any_of(parts_, [](const Part& part) {
    return std::ranges::any_of(part, [](const Field& field) { return field.name == "ext"; });
  });
}

std::string OutputTemplate::extension() const {
  const Field& last = parts_.back().back();
  const std::size_t dot = last.text.rfind('.');
  return !last.name.empty() || dot == std::string::npos ? "" : last.text.substr(dot + 1);
}

std::string OutputTemplate::value_of(const Field& field, const std::string& input,
                                     std::size_t number, Format format) const {
  if (field.name.empty()) return field.text;
  if (field.name == "stem") return stem_of(input);
  if (field.name == "name") return last_name(file_of(input));
  if (field.name == "ext") return std::string(extension_of(format));
  if (field.name == "lang") return language_;
  if (field.name == "model") return model_;
  if (field.name == "task") return task_;
  if (field.name == "n") return std::to_string(number);
  const std::string folder = file_of(input).parent_path().string();  // dir
  return folder.empty() ? "." : folder;
}

std::vector<std::string> OutputTemplate::pieces_of(const Part& part, const std::string& input,
                                                   std::size_t number, Format format) const {
  std::vector<std::string> pieces(1);
  bool is_written_so = true;
  for (const Field& field : part) {
    is_written_so = is_written_so && field.name.empty();
    if (field.name == "lang" && language_.empty()) {
      pieces.emplace_back();
    } else {
      pieces.back() += value_of(field, input, number, format);
    }
  }
  const bool is_dir = !part.empty() && part.front().name == "dir";
  if (pieces.size() == 1 && leads_elsewhere(pieces.front()) && !is_written_so && !is_dir) {
    refuse_template(input + " would give a folder called " + pieces.front());
  }
  return pieces;
}

ResultPath OutputTemplate::path_of(const std::string& input, std::size_t number,
                                   Format format) const {
  const auto below = subfolders_.find(input);
  ResultPath path;
  path.folder = output_dir_;
  if (!output_dir_.empty() && below != subfolders_.end()) {
    path.folder = models::join(output_dir_, below->second);
  }
  if (parts_.size() > 1 && parts_.front().empty()) path.folder = "/";  // "/srv/{stem}.txt"
  for (const Part& part : parts_) {
    std::vector<std::string> pieces = pieces_of(part, input, number, format);
    if (&part == &parts_.back()) {
      path.name = std::move(pieces);
    } else if (!part.empty()) {
      path.folder = models::join(path.folder, pieces.front());
    }
  }
  return path;
}

}  // namespace wnpu::app
