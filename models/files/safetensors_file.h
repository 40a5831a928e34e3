// HuggingFace model directory: config.json, generation_config.json, model.safetensors (in one or
// more files), a tokenizer.
#pragma once

#include <filesystem>
#include <memory>

#include "models/files/model_file.h"

namespace wnpu::models {

// Throws ModelError.
std::unique_ptr<ModelFile> open_safetensors(const std::filesystem::path& directory);

// Whether a directory has weights of this kind.
bool has_safetensors(const std::filesystem::path& directory);

}  // namespace wnpu::models
