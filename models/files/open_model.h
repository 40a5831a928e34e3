// A model of whatever format.
#pragma once

#include <filesystem>
#include <memory>

#include "models/files/model_file.h"

namespace wnpu::models {

// Opens a CTranslate2 directory, a HuggingFace safetensors directory, a ggml .bin, an
// openai-whisper .pt or a packed .wnpu, told apart by content. Where a .pt has no tokenizer beside
// it, its text tokens are those of another model, with the same vocabulary, among the folders
// beside it or in `more_models`. Throws ModelError.
std::unique_ptr<ModelFile> open_model(const std::filesystem::path& path,
                                      const std::filesystem::path& more_models = {});

}  // namespace wnpu::models
