#include "app/hub/catalogue.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/hub/catalogue_sources.h"

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
    HubModel model{name, {}};
    for (auto& source : {ctranslate2_source(name), safetensors_source(name), ggml_source(name),
                         pytorch_source(name)}) {
      if (source) model.sources.push_back(*source);
    }
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace

std::string HubSource::path_of(const HubFile& file) const {
  if (!file.at.empty()) return std::string(file.at);
  std::string path(repository);
  path.append("/resolve/").append(revision).append("/").append(file.name);
  return path;
}

std::string HubSource::url_of(const HubFile& file, std::string_view mirror) const {
  const std::string_view usual = file.host.empty() ? host : file.host;
  std::string url(mirror.empty() ? usual : mirror);
  while (url.ends_with('/')) url.pop_back();
  return url.append("/").append(path_of(file));
}

std::uint64_t HubSource::bytes() const {
  std::uint64_t sum = 0;
  for (const HubFile& file : files) {
    if (file.bytes == 0) return 0;
    sum += file.bytes;
  }
  return sum;
}

const HubSource* HubModel::find(std::string_view format) const {
  const auto found = std::ranges::find(sources, format, &HubSource::format);
  return found == sources.end() ? nullptr : &*found;
}

std::span<const HubModel> hub_models() {
  static const std::vector<HubModel> kModels = make_catalogue();
  return kModels;
}

const HubModel* find_hub_model(std::string_view name) {
  if (name == "turbo") name = "large-v3-turbo";
  if (name == "large") name = "large-v3";
  const std::span<const HubModel> models = hub_models();
  const auto found = std::ranges::find(models, name, &HubModel::name);
  return found == models.end() ? nullptr : &*found;
}

std::vector<std::string> hub_names() { return {kHubNames.begin(), kHubNames.end()}; }

std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return "an unknown size";
  std::array<char, 32> text{};
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000'000) {
    std::snprintf(text.data(), text.size(), "%.0f kB", value / 1e3);
  } else if (bytes < 1'000'000'000) {
    std::snprintf(text.data(), text.size(), "%.0f MB", value / 1e6);
  } else {
    std::snprintf(text.data(), text.size(), "%.1f GB", value / 1e9);
  }
  return text.data();
}

}  // namespace wnpu::app
