// The catalogue's tables, a file for each kind of source.
#pragma once

#include <optional>
#include <string_view>

#include "app/model_store/hub/hub_model.h"

namespace wnpu::app {

inline constexpr std::string_view kHubHost = "https://huggingface.co";
inline constexpr std::string_view kMit = "MIT";

// Nothing where the model is not published in that format.
std::optional<HubSource> ctranslate2_source(std::string_view model);
std::optional<HubSource> safetensors_source(std::string_view model);
std::optional<HubSource> ggml_source(std::string_view model);
std::optional<HubSource> pytorch_source(std::string_view model);

}  // namespace wnpu::app
