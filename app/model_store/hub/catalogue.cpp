#include "app/model_store/hub/catalogue.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "app/engine/model_path.h"
#include "models/base/folder.h"

namespace wnpu::app {

extern const std::string_view kCatalogue;  // catalogue.txt, made by CMake

namespace {

// Words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return words;
    words.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(words.back().size());
  }
}

HubFile listed_file(std::span<const std::string_view> words) {
  HubFile file{words[1]};
  std::from_chars(words[2].data(), words[2].data() + words[2].size(), file.bytes);
  if (words[3] != "-") file.sha256 = words[3];
  if (words.size() > 4) file.at = words[4];
  if (words.size() > 5) file.host = words[5];
  return file;
}

std::vector<HubModel> read_catalogue(std::string_view text) {
  std::vector<HubModel> models;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0] == "#") continue;
    if (words[0] == "model") {
      models.push_back({words[1], {}, words.size() > 2 ? words[2] : ""});
    } else if (words[0] == "source") {
      models.back().sources.push_back({words[1], words[2], words[3], words[4], words[5], {}});
    } else {
      models.back().sources.back().files.push_back(listed_file(words));
    }
  }
  return models;
}

// All that is published; the detector and the networks for speakers are last.
const std::vector<HubModel>& published() {
  static const std::vector<HubModel> kModels = read_catalogue(kCatalogue);
  return kModels;
}

}  // namespace

std::span<const HubModel> hub_models() {
  return std::span(published()).first(published().size() - 2);
}

const HubModel& hub_detector() { return published().end()[-2]; }
const HubModel& hub_speakers() { return published().back(); }

const HubModel* find_helper(std::string_view name) {
  if (name == hub_detector().name) return &hub_detector();
  return name == hub_speakers().name ? &hub_speakers() : nullptr;
}

const HubModel* find_hub_model(std::string_view name) {
  const std::span<const HubModel> models = hub_models();
  const auto found = std::ranges::find(models, full_model_name(std::string(name)), &HubModel::name);
  return found == models.end() ? nullptr : &*found;
}

const HubModel* find_published(std::string_view name) {
  const HubModel* const helper = find_helper(name);
  return helper != nullptr ? helper : find_hub_model(name);
}

std::filesystem::path pulled_weights(const HubModel& model, const std::filesystem::path& place) {
  std::filesystem::path weights = weights_file(place);
  if (find_helper(model.name) == &model)
    weights = models::join(place, model.sources.front().files.back().name);
  std::error_code error;
  return std::filesystem::exists(weights, error) ? weights : std::filesystem::path();
}

std::string_view hub_format_of(const std::filesystem::path& model) {
  for (const HubModel* helper : {&hub_detector(), &hub_speakers()}) {
    if (model.filename() == helper->folder_name()) return helper->sources[0].format;
  }
  const std::string weights = weights_file(model).filename().string();
  if (weights == "model.bin") return "ctranslate2";
  if (weights.starts_with("model.safetensors")) return "safetensors";
  if (weights.ends_with(".pt")) return "pytorch";
  return weights.ends_with(".bin") ? "ggml" : "";
}

std::vector<std::string> hub_names() {
  std::vector<std::string> names;
  for (const HubModel& model : hub_models()) names.emplace_back(model.name);
  return names;
}

}  // namespace wnpu::app
