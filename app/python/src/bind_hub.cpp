// Models by their names, by the rules and the downloads of the program.
#include <filesystem>
#include <iostream>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>

#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/offer.h"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "models/base/error.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

nb::str ready_model(const nb::str& name_or_path, const nb::str& folder, bool local_files_only) {
  const std::string name = path_bytes(name_or_path);
  app::PullRequest order;
  order.folder = path_bytes(folder);
  if (order.folder.empty()) order.folder = app::model_folder();
  order.should_stop = &signal_came;
  std::filesystem::path found;
  try {
    const WithoutInterpreter unlocked;
    found = app::named_model(name, order, local_files_only ? "local_files_only" : "", std::cerr);
  } catch (const models::Stopped&) {
    throw nb::python_error();
  }
  return path_text(found.string());
}

// Repository of a published model, the one that faster-whisper takes if there is such a one.
std::optional<std::string> hub_repository(const std::string& name) {
  const app::HubModel* const model = app::find_hub_model(name);
  if (model == nullptr) return std::nullopt;
  return std::string(model->sources.front().repository);  // CTranslate2's is the first
}

}  // namespace

void bind_hub(nb::module_& module) {
  module.def("ready_model", &ready_model, nb::arg("name_or_path"), nb::arg("folder"),
             nb::arg("local_files_only"));
  module.def("hub_repository", &hub_repository, nb::arg("name"));
}

}  // namespace wnpu::python
