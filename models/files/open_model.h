// A model of whatever format.
#pragma once

#include <filesystem>
#include <memory>

#include "models/files/model_file.h"

namespace wnpu::models {

// Opens a CTranslate2 directory, a HuggingFace safetensors directory or a ggml .bin, told apart by
// what is there. Throws ModelError.
std::unique_ptr<ModelFile> open_model(const std::filesystem::path& path);

}  // namespace wnpu::models
