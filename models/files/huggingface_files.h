// A model as a HuggingFace folder: config.json, generation_config.json, vocab.json and
// model.safetensors, which open_safetensors reads back.
#pragma once

#include <vector>

#include "models/base/streamed_file.h"
#include "models/files/model_file.h"

namespace wnpu::models {

// Settings and vocabulary alone. Throws ModelError where two ids have one token.
std::vector<StreamedFile> huggingface_settings(const ModelFile& file);

// All of them. Matrices keep their bits where the format has their type (fp32, fp16, bf16); others
// become fp32. A tensor at a time is in memory. `file` must outlive the result.
std::vector<StreamedFile> huggingface_files(const ModelFile& file);

}  // namespace wnpu::models
