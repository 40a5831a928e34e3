// A model of whatever format.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "models/files/model_file.h"

namespace wnpu::models {

// Opens a CTranslate2 directory, a HuggingFace safetensors directory, a ggml .bin, an
// openai-whisper .pt or a packed .wnpu, told apart by content. Where a .pt has no tokenizer beside
// it, its text tokens are those of another model, with the same vocabulary, among the folders
// beside it or in `more_models`. Throws ModelError.
std::unique_ptr<ModelFile> open_model(const std::filesystem::path& path,
                                      const std::filesystem::path& more_models = {});

// The format (model_file.h) whose weights a regular file begins as; empty: none, or that of
// safetensors, which begin as anything may.
std::string_view format_of_beginning(const std::filesystem::path& file);

}  // namespace wnpu::models
