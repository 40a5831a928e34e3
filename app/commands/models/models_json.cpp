#include "app/commands/models/models_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "app/commands/models/hub_actions.h"
#include "app/commands/models/model_advice.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "models/base/utf8.h"
#include "models/files/open_model.h"

namespace wnpu::app {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }
Json or_null(std::uint64_t bytes) { return bytes == 0 ? Json() : Json(bytes); }
Json json_of(const std::filesystem::path& path) {
  return or_null(models::repair_utf8(path.string()));
}

Json listed_json(const ListedModel& model) {
  Json formats = Json::array();
  if (model.published != nullptr) {
    for (const HubSource& source : model.published->sources) formats.push_back(source.format);
  }
  const bool is_here = !model.path.empty();
  const auto needs = model.published == nullptr ? std::nullopt : needs_of(model.name, this_host());
  return {
      {"name", models::repair_utf8(model.name)},
      {"bytes",
       model.published == nullptr ? Json() : or_null(model.published->sources.front().bytes())},
      {"path", json_of(model.path)},
      {"format", or_null(is_here ? hub_format_of(model.path) : std::string_view())},
      {"published_as", formats},
      {"languages", needs ? Json(needs->languages) : Json()},
      {"memory_bytes", needs ? Json(needs->memory_bytes) : Json()},
      {"times_real_time", needs ? Json(std::nearbyint(needs->times_real_time * 10) / 10) : Json()}};
}

Json stored_json(const std::filesystem::path& path) {
  const auto file = models::open_model(path, model_folder());
  const models::Dims& dims = file->dims();
  return {{"path", json_of(path)},
          {"format", file->format()},
          {"weights", file->main_dtype()},
          {"multilingual", dims.is_multilingual()},
          {"languages", dims.is_multilingual() ? dims.n_languages() : 1},
          {"mel_bands", dims.n_mels},
          {"width", dims.n_audio_state},
          {"encoder_layers", dims.n_audio_layer},
          {"decoder_layers", dims.n_text_layer}};
}

// Weights of the detector and of the networks for speakers have none of a model's sizes.
Json stored_json(const ListedModel& model) {
  if (model.path.empty()) return {};
  const HubModel* const helper =
      model.published == nullptr ? nullptr : find_helper(model.published->name);
  if (helper == nullptr) return stored_json(model.path);
  return {{"path", json_of(model.path)}, {"format", helper->sources.front().format}};
}

Json source_json(const HubSource& source) {
  Json files = Json::array();
  for (const HubFile& file : source.files) {
    files.push_back({{"name", file.name},
                     {"url", source.url_of(file, "")},
                     {"bytes", or_null(file.bytes)},
                     {"sha256", or_null(file.sha256)}});
  }
  return {{"format", source.format},
          {"repository", source.repository},
          {"revision", source.revision},
          {"licence", source.licence},
          {"files", files}};
}

}  // namespace

std::string models_json(const std::vector<ListedModel>& models,
                        const std::filesystem::path& folder) {
  Json list = Json::array();
  for (const ListedModel& model : models) list.push_back(listed_json(model));
  const auto [english, other] = advice_for(this_host());
  const Json all = {{"schema_version", 1},
                    {"folder", json_of(folder)},
                    {"recommended", {{"english", english}, {"other", other}}},
                    {"models", list}};
  return all.dump(2) + "\n";
}

std::string model_json(const ListedModel& model) {
  Json sources = Json::array();
  if (model.published != nullptr) {
    for (const HubSource& source : model.published->sources) sources.push_back(source_json(source));
  }
  const Json all = {{"schema_version", 1},
                    {"name", models::repair_utf8(model.name)},
                    {"stored", stored_json(model)},
                    {"sources", sources}};
  return all.dump(2) + "\n";
}

}  // namespace wnpu::app
