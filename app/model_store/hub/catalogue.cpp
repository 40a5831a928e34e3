#include "app/model_store/hub/catalogue.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue_sources.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

// openai/whisper __init__.py, available_models(); huggingface/distil-whisper README.md.
constexpr std::array<std::string_view, 17> kHubNames = {"tiny.en",          "tiny",
                                                        "base.en",          "base",
                                                        "small.en",         "small",
                                                        "medium.en",        "medium",
                                                        "large-v1",         "large-v2",
                                                        "large-v3",         "large-v3-turbo",
                                                        "distil-small.en",  "distil-medium.en",
                                                        "distil-large-v2",  "distil-large-v3",
                                                        "distil-large-v3.5"};

std::vector<HubModel> make_catalogue() {
  std::vector<HubModel> models;
  for (const std::string_view name : kHubNames) {
    HubModel model{name, {}, {}};
    for (auto& source : {ctranslate2_source(name), safetensors_source(name), ggml_source(name),
                         pytorch_source(name)}) {
      if (source) model.sources.push_back(*source);
    }
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace

std::span<const HubModel> hub_models() {
  static const std::vector<HubModel> kModels = make_catalogue();
  return kModels;
}

const HubModel* find_hub_model(std::string_view name) {
  const std::span<const HubModel> models = hub_models();
  const auto found = std::ranges::find(models, full_model_name(std::string(name)), &HubModel::name);
  return found == models.end() ? nullptr : &*found;
}

// The package silero-vad 6.2.3 at PyPI has the same file, by its SHA-256.
const HubModel& hub_detector() {
  static const HubModel kDetector{
      "silero-vad",
      {{"safetensors",
        "https://raw.githubusercontent.com",
        "snakers4/silero-vad",
        "fb7d7c7f5df63235f0afd037d8397593829aeb41",
        kMit,
        {{"silero_vad_16k.safetensors", 1239748,
          "c59271c284ae9c8335d795d60e0bfdb71aaaceec578d9bd9ffc1b8153c319ea1",
          "snakers4/silero-vad/fb7d7c7f5df63235f0afd037d8397593829aeb41/src/silero_vad/data/"
          "silero_vad_16k.safetensors"}}}},
      "silero_vad"};
  return kDetector;
}

const HubModel* find_published(std::string_view name) {
  return name == hub_detector().name ? &hub_detector() : find_hub_model(name);
}

std::filesystem::path pulled_weights(const HubModel& model, const std::filesystem::path& place) {
  std::filesystem::path weights = weights_file(place);
  if (&model == &hub_detector())
    weights = models::join(place, model.sources.front().files.front().name);
  std::error_code error;
  return std::filesystem::exists(weights, error) ? weights : std::filesystem::path();
}

std::string_view hub_format_of(const std::filesystem::path& model) {
  if (model.filename() == hub_detector().folder_name()) return hub_detector().sources[0].format;
  const std::string weights = weights_file(model).filename().string();
  if (weights == "model.bin") return "ctranslate2";
  if (weights.starts_with("model.safetensors")) return "safetensors";
  if (weights.ends_with(".pt")) return "pytorch";
  return weights.ends_with(".bin") ? "ggml" : "";
}

std::vector<std::string> hub_names() { return {kHubNames.begin(), kHubNames.end()}; }

}  // namespace wnpu::app
