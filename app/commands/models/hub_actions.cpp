#include "app/commands/models/hub_actions.h"

#include <algorithm>

#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/options/exit_code.h"
#include "models/base/closest_name.h"
#include "models/base/error.h"
#include "models/base/folder.h"

namespace wnpu::app {

namespace fs = std::filesystem;

fs::path NamedModels::folder() const {
  return model_dir.empty() ? model_folder() : fs::path(model_dir);
}

void add_model_dir(CLI::App& app, NamedModels& named) {
  app.add_option("--model-dir", named.model_dir, "Folder of models; the cache folder if not given")
      ->type_name("DIR");
}

void add_named_models(CLI::App& app, NamedModels& named, const char* help) {
  // Not checked here: what else is in the folder has a name as well.
  app.add_option("model", named.names, help)->type_name(CLI::detail::join(pulled_names(), "|"));
  add_model_dir(app, named);
}

fs::path find_stored(const std::string& name, const fs::path& folder) {
  const HubModel* const helper = find_helper(name);
  if (helper == nullptr) return find_name(name, folder);
  fs::path own = models::join(folder, helper->folder_name());
  return pulled_weights(*helper, own).empty() ? fs::path() : own;
}

std::vector<std::string> pulled_names() {
  std::vector<std::string> names = hub_names();
  names.emplace_back(hub_detector().name);
  names.emplace_back(hub_speakers().name);
  return names;
}

void require_one(const std::vector<std::string>& names, std::string_view action) {
  if (names.size() == 1) return;
  throw UsageError(std::string(action) + ": expected one name (models list shows them)");
}

void require_some(const std::vector<std::string>& names, std::string_view action) {
  if (!names.empty()) return;
  throw UsageError(std::string(action) + ": expected a name (models list shows them)");
}

namespace {

bool is_path(const std::string& text) { return text.find('/') != std::string::npos; }

// Path that a text with a slash in it names, without one at its end; empty: nothing is there.
fs::path existing_path(const std::string& text) {
  if (!is_path(text)) return {};
  std::error_code error;
  fs::path path = fs::path(text + "/").parent_path();
  return fs::exists(path, error) ? path : fs::path();
}

}  // namespace

fs::path place_of(const std::string& name, const fs::path& folder) {
  fs::path path = find_stored(name, folder);
  if (!path.empty()) return path;
  const std::string missing = name + ": expected a model in " + folder.string() + ", found none";
  if (const HubModel* const model = find_published(name); model != nullptr) {
    throw models::ModelError(missing + " (whisper-npu models pull " + std::string(model->name) +
                             " fetches it)");
  }
  if (const fs::path there = existing_path(name); there.has_parent_path()) {
    throw models::ModelError(name + ": expected a name in " + folder.string() +
                             ", found a path: try " + there.filename().string() + " --model-dir " +
                             there.parent_path().string());
  }
  if (is_path(name)) {
    throw models::ModelError(name + ": expected a name in " + folder.string() +
                             ", found a path, with nothing there");
  }
  std::vector<std::string> names = pulled_names();
  std::ranges::copy(models_in(folder), std::back_inserter(names));
  throw models::ModelError(missing + models::suggestion(name, names));
}

fs::path place_or_path(const std::string& name_or_path, const fs::path& folder) {
  fs::path path = existing_path(name_or_path);
  if (path.empty() && is_path(name_or_path)) {
    throw models::ModelError(name_or_path + ": expected a model file or folder, found nothing");
  }
  return path.empty() ? place_of(name_or_path, folder) : path;
}

}  // namespace wnpu::app
