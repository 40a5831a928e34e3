#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/commands/models/hub_actions.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/pins.h"
#include "app/model_store/packed_file.h"
#include "app/options/exit_code.h"
#include "app/output/made_files.h"
#include "app/system/sha256.h"
#include "app/system/write_all.h"
#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/files/packed_file.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// Known checksum of a file, from the strongest source there is.
struct Known {
  std::string sha256;
  std::string by;
};

// The published model whose weights are at `path`, whatever their name; nullptr: none of them.
const HubModel* model_of_weights(const fs::path& path) {
  const fs::path weights = weights_file(path);
  const std::string_view format = hub_format_of(path);
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(weights, error);
  if (error) return nullptr;
  for (const HubModel& model : hub_models()) {
    const HubSource* const source = model.find(format);
    if (source == nullptr) continue;
    const auto file = std::ranges::find(source->files, bytes, &HubFile::bytes);
    if (file != source->files.end() && sha256_of_file(weights) == file->sha256) return &model;
  }
  return nullptr;
}

// For a model at `path`, of that name or with the weights of a published one.
std::map<std::string, Known> known_of(const std::string& name, const fs::path& path,
                                      const fs::path& folder) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  std::map<std::string, Known> known;
  if (is_folder) {
    for (const auto& [file, sum] : listed_sums(path)) {
      if (is_sha256(sum)) known[file] = {sum, kSums};
    }
  }
  const HubModel* model = find_published(name);
  if (model == nullptr) model = model_of_weights(path);
  const HubSource* const source = model == nullptr ? nullptr : model->find(hub_format_of(path));
  if (source == nullptr) return known;
  const std::map<std::string, Pin> pins = read_pins(folder);
  for (const HubFile& file : source->files) {
    // A file of its own has the weights alone.
    const std::string there = is_folder ? std::string(file.name) : path.filename().string();
    if (!is_folder && &file != &source->files.back()) continue;
    const auto pin = pins.find(source->path_of(file));
    if (!file.sha256.empty()) {
      known[there] = {std::string(file.sha256), "published as " + std::string(model->name)};
    } else if (pin != pins.end()) {
      known[there] = {pin->second.sha256, "pinned when it was first pulled"};
    }
  }
  return known;
}

enum class Verdict { right, wrong, unknown };

// A packed file knows what it was written as; whether it still is that.
Verdict verify_packed(const fs::path& path) try {
  const std::vector<std::string> damaged = models::damaged_sections(path);
  std::string text = path.string() + ": ";
  text += damaged.empty() ? "ok (its own checksums)" : "wrong: damaged since it was made:";
  for (const std::string& section : damaged) text.append(" ").append(section);
  print_report(text + "\n");
  return damaged.empty() ? Verdict::right : Verdict::wrong;
} catch (const models::ModelError& error) {  // which names the file first
  const std::string start = path.string() + ": ";
  const std::string_view what = error.what();
  const std::string_view why = what.starts_with(start) ? what.substr(start.size()) : what;
  print_report(start + "wrong: " + std::string(why) + "\n");
  return Verdict::wrong;
}

// A line a file.
Verdict verify_model(const std::string& name, const fs::path& folder) {
  const fs::path path = place_or_path(name, folder);
  if (models::format_of_beginning(path) == models::kPacked) return verify_packed(path);
  const fs::path above = fs::is_directory(path) ? path : path.parent_path();
  const std::map<std::string, Known> known = known_of(name, path, folder);
  bool is_right = true;
  std::string text;
  if (known.empty()) text = path.string() + ": unknown: no SHA-256 is known of it\n";
  for (const auto& [file, expected] : known) {
    const std::string found = sha256_of_file(above / file);
    const bool is_same = found == expected.sha256;
    is_right = is_right && is_same;
    text.append((above / file).string()).append(": ");
    if (is_same) {
      text.append("ok (").append(expected.by).append(")\n");
    } else {
      text.append("wrong: expected SHA-256 ").append(expected.sha256).append(" (");
      text.append(expected.by).append("), found ").append(found.empty() ? "no file" : found);
      text.append("\n");
    }
  }
  print_report(text);
  if (known.empty()) return Verdict::unknown;
  return is_right ? Verdict::right : Verdict::wrong;
}

int verify_models(const NamedModels& named, const std::vector<std::string>& asked) {
  const fs::path folder = named.folder();
  const bool is_of_all = asked.empty();
  std::vector<std::string> names = asked;
  if (is_of_all) {
    names = models_in(folder);
    for (const HubModel* helper : {&hub_detector(), &hub_speakers()}) {
      const std::string name(helper->name);
      if (!find_stored(name, folder).empty()) names.push_back(name);
    }
  }
  if (names.empty()) place_of("a model", folder);
  for (const std::string& name : names) place_or_path(name, folder);
  // Models that nobody publishes are no fault, unless they were asked about.
  const auto n_wrong = std::ranges::count_if(names, [&](const std::string& name) {
    const Verdict verdict = verify_model(name, folder);
    return verdict == Verdict::wrong || (verdict == Verdict::unknown && !is_of_all);
  });
  return static_cast<int>(n_wrong == 0 ? ExitCode::ok : ExitCode::model);
}

void add_names_or_paths(CLI::App& app, NamedModels& named) {
  add_named_models(app, named, kNameOrPath);
}

}  // namespace

Subcommand verify_action() {
  return subcommand("verify",
                    "Whether the files of models are what was published; of all that are here",
                    add_names_or_paths, verify_models);
}

}  // namespace wnpu::app
