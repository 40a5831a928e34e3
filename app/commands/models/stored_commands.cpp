// remove, path and info: of what is in the models' folder.
#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/models/hub_actions.h"
#include "app/commands/models/models_json.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/pull_lock.h"
#include "app/options/exit_code.h"
#include "app/output/made_files.h"
#include "app/system/write_all.h"
#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/files/open_model.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// Path that `own`, a name in the folder, is renamed to and removed under, until nothing is left.
fs::path doomed_place(const std::string& own, const fs::path& folder) {
  return models::join(folder, "." + own + ".removed");
}

// Leftovers of a name's interrupted pull or remove.
std::vector<fs::path> left_of(const std::string& own, const fs::path& folder) {
  std::vector<fs::path> places = {doomed_place(own, folder)};
  for (const std::string_view format : kHubFormats) {
    places.push_back(models::join(folder, "." + own + "." + std::string(format) + ".part"));
  }
  std::erase_if(places, [](const fs::path& path) {
    std::error_code error;
    return !fs::exists(fs::symlink_status(path, error));
  });
  return places;
}

// Leftovers of a catalogue's model, by the name of its folder: no other is pulled.
std::vector<fs::path> left_of_pull(const std::string& name, const fs::path& folder) {
  const HubModel* const model = find_published(name);
  return model == nullptr ? std::vector<fs::path>() : left_of(model->folder_name(), folder);
}

void remove_place(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw OutputError(path.string() + ": cannot be removed: " + error.message());
}

// By its name, or by what is in it: recordings and notes lie in such folders too.
void require_model(const std::string& name, const fs::path& path) {
  if (find_helper(name) != nullptr || is_named_as_model(path)) return;
  try {
    (void)models::open_model(path, model_folder());
  } catch (const models::ModelError&) {
    throw models::ModelError(path.string() + ": expected a model, found other files: not removed");
  }
}

// The first thing in a model's folder that is no file of a model, by its name and by the list of
// who made the folder; empty: none, or it is no folder.
std::string foreign_in(const fs::path& model) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(model, error))) return {};
  const std::map<std::string, std::string> listed = listed_sums(model);
  std::vector<std::string> names = models::names_in(model, error);
  std::ranges::sort(names);
  const auto is_foreign = [&](const std::string& name) {
    const bool is_known = name == kSums || is_model_file_name(name) || listed.contains(name);
    return !is_known || fs::is_directory(fs::symlink_status(models::join(model, name), error));
  };
  const auto found = std::ranges::find_if(names, is_foreign);
  return found == names.end() ? "" : *found;
}

[[noreturn]] void refuse_foreign(const fs::path& path, const std::string& name) {
  throw models::ModelError(path.string() + ": expected files of a model alone, found " + name +
                           ": not removed");
}

void remove_model(const std::string& name, const fs::path& folder) {
  const HubModel* const published = find_published(name);
  const bool is_part = find_stored(name, folder).empty() && !left_of_pull(name, folder).empty();
  const fs::path path =
      is_part ? models::join(folder, published->folder_name()) : place_of(name, folder);
  if (!is_part) require_model(name, path);
  const std::string foreign = foreign_in(path);
  if (!foreign.empty()) refuse_foreign(path, foreign);
  const std::string own =
      published != nullptr ? published->folder_name() : path.filename().string();
  const PullLock held(models::join(folder, "." + own + ".lock"), [] {});
  std::error_code error;
  const fs::path doomed = doomed_place(own, folder);
  const bool is_there = fs::exists(fs::symlink_status(path, error));
  if (is_there) {
    // First it is no model any more, in one step.
    remove_place(doomed);
    fs::rename(path, doomed, error);
    if (error) throw OutputError(path.string() + ": cannot be removed: " + error.message());
    const std::string late = foreign_in(doomed);
    if (!late.empty()) {
      fs::rename(doomed, path, error);
      refuse_foreign(path, late);
    }
  }
  std::string text = is_there ? path.string() + ": removed\n" : "";
  for (const fs::path& left : left_of(own, folder)) {
    remove_place(left);
    if (!is_there || left != doomed) text += left.string() + ": removed\n";
  }
  print_report(text);
}

std::string number_text(std::string_view what, std::size_t value) {
  return std::string(what) + std::to_string(value) + "\n";
}

std::string stored_text(const fs::path& path) {
  const auto file = models::open_model(path, model_folder());
  const models::Dims& dims = file->dims();
  std::string text = "path: " + path.string() + "\nformat: " + std::string(file->format());
  text += "\nweights: " + std::string(file->main_dtype()) + "\nlanguages: ";
  text += dims.is_multilingual() ? std::to_string(dims.n_languages()) : "English only";
  text += number_text("\nmel bands: ", dims.n_mels) + number_text("width: ", dims.n_audio_state) +
          number_text("encoder layers: ", dims.n_audio_layer) +
          number_text("decoder layers: ", dims.n_text_layer);
  if (const models::PackedOrigin* const origin = file->origin()) {
    text += "made by: " + origin->made_by + "\nof: " + origin->source_format + ", SHA-256 " +
            origin->source_sha256 + "\npacked for: " + origin->packing.instructions;
    for (const std::string& precision : origin->precisions) text += " " + precision;
    text += "\npacked by: " + origin->packing.build + "\n";
  }
  return text;
}

std::string source_text(const HubSource& source) {
  std::string text = "published as " + std::string(source.format) + ": " +
                     std::string(source.repository) + ", revision " + std::string(source.revision) +
                     ", licence " + std::string(source.licence) + "\n";
  for (const HubFile& file : source.files) {
    text.append("  ").append(source.url_of(file, "")).append("\n    ");
    text.append(file.bytes == 0 ? "size unknown" : std::to_string(file.bytes) + " bytes");
    text.append(", SHA-256 ").append(file.sha256.empty() ? "not published" : file.sha256);
    text.append("\n");
  }
  return text;
}

void tell_of(const std::string& name, const fs::path& folder, bool is_json) {
  const bool is_helper = find_helper(name) != nullptr;
  const HubModel* const model = find_published(name);
  const fs::path path = model == nullptr ? place_or_path(name, folder) : find_stored(name, folder);
  if (is_json) return print_report(model_json({name, model, path}));
  std::string text = path.empty() ? "path: not here\n"
                     : is_helper  ? "path: " + path.string() + "\n"
                                  : stored_text(path);
  if (model != nullptr) {
    for (const HubSource& source : model->sources) text += source_text(source);
  }
  print_report(text);
}

void add_names(CLI::App& app, NamedModels& named) { add_named_models(app, named); }

int remove_models(const NamedModels& named, const std::vector<std::string>& names) {
  require_some(names, "models remove");
  for (const std::string& name : names) {
    if (left_of_pull(name, named.folder()).empty()) place_of(name, named.folder());
  }
  for (const std::string& name : names) remove_model(name, named.folder());
  return static_cast<int>(ExitCode::ok);
}

int print_path(const NamedModels& named, const std::vector<std::string>& names) {
  require_one(names, "models path");
  print_report(place_of(names[0], named.folder()).string() + "\n");
  return static_cast<int>(ExitCode::ok);
}

struct InfoQuestion {
  NamedModels named;
  bool is_json = false;
};

void add_info_options(CLI::App& app, InfoQuestion& question) {
  add_named_models(app, question.named, kNameOrPath);
  app.add_flag("--json", question.is_json,
               "As JSON, by models_info.schema.json (in share/whisper-npu/schemas)");
}

int print_info(const InfoQuestion& question, const std::vector<std::string>& names) {
  require_one(names, "models info");
  tell_of(names[0], question.named.folder(), question.is_json);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand remove_action() {
  return subcommand("remove", "Remove models that are here, and what was left of pulling them",
                    add_names, remove_models);
}

Subcommand path_action() { return subcommand("path", "Where a model is", add_names, print_path); }

Subcommand info_action() {
  return subcommand("info", "What a model is, where it is, and where it comes from",
                    add_info_options, print_info);
}

}  // namespace wnpu::app
