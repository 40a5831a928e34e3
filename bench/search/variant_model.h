// A model whose encoder is varied.
#pragma once

#include <filesystem>
#include <memory>

#include "app/engine/loaded_model.h"

namespace wnpu::bench {

// In fp32. Throws ModelError, and UsageError for heads of another width than the array's.
std::shared_ptr<const app::LoadedModel> load_variant_model(const std::filesystem::path& path,
                                                           unsigned threads);

}  // namespace wnpu::bench
