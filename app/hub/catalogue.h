// The models that can be pulled by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/hub/hub_model.h"

namespace wnpu::app {

// English and multilingual, smallest first; then distil-whisper's.
std::span<const HubModel> hub_models();
// By its name, or openai-whisper's other name of it ("turbo", "large"); nullptr: there is none.
const HubModel* find_hub_model(std::string_view name);
std::vector<std::string> hub_names();

}  // namespace wnpu::app
