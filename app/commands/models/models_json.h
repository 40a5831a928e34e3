// JSON of `models list --json` and `models info --json`: models_list.schema.json and
// models_info.schema.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model_store/hub/hub_model.h"

namespace wnpu::app {

// A model that can be pulled, is here, or both.
struct ListedModel {
  std::string name;
  const HubModel* published = nullptr;  // nullptr: it is not in the catalogue
  std::filesystem::path path;           // empty: it is not here
};

std::string models_json(const std::vector<ListedModel>& models,
                        const std::filesystem::path& folder);
// Opens the model that is here. Throws ModelError.
std::string model_json(const ListedModel& model);

}  // namespace wnpu::app
