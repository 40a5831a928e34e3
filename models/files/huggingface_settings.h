// Settings and vocabulary of a model as HuggingFace's transformers names and spells them.
#pragma once

#include <vector>

#include "models/base/folder.h"
#include "models/files/model_file.h"

namespace wnpu::models {

// config.json, generation_config.json and vocab.json. Throws ModelError where two ids have one
// token.
std::vector<StreamedFile> huggingface_settings(const ModelFile& file);

}  // namespace wnpu::models
