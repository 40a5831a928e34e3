// The released Whisper models by their shapes, for what needs no weights.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "models/base/dims.h"

namespace wnpu::models {

// "tiny" ... "large-v3-turbo", smallest first.
std::span<const std::string_view> size_names();
// The multilingual model of that size.
std::optional<Dims> dims_of_size(std::string_view name);

}  // namespace wnpu::models
