// The models that can be pulled by name, as catalogue.txt lists them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model_store/hub/hub_model.h"

namespace wnpu::app {

// English and multilingual, smallest first; then distil-whisper's.
std::span<const HubModel> hub_models();
// By its name, or another of it (full_model_name); nullptr: there is none.
const HubModel* find_hub_model(std::string_view name);
std::vector<std::string> hub_names();

// The weights of the detector of speech: no model, but pulled, verified and removed by its name as
// one is.
const HubModel& hub_detector();
// The networks that tell speakers apart, likewise.
const HubModel& hub_speakers();
// One of these two, which recognise no speech; nullptr: neither.
const HubModel* find_helper(std::string_view name);
// A model by find_hub_model(), or find_helper(); nullptr: neither.
const HubModel* find_published(std::string_view name);

// The file with the weights of `model` where it was pulled to `place`; empty: there is none.
std::filesystem::path pulled_weights(const HubModel& model, const std::filesystem::path& place);

// The format of what is there, by the name of its weights, as the catalogue calls it; empty: none.
std::string_view hub_format_of(const std::filesystem::path& model);

}  // namespace wnpu::app
