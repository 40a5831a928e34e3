// A model read as the program reads it: opened, its weights as fp32, its vocabulary.
#pragma once

#include <filesystem>

#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"

namespace wnpu::fuzz {

// A ModelError is a right answer; whatever else is thrown passes on, and ends the fuzzer.
inline void read_model(const std::filesystem::path& path) {
  try {
    const auto file = models::open_model(path);
    models::load_encoder_weights(*file);
    models::load_decoder_weights(*file);
    models::find_encoder_layers(*file);
    const models::Vocabulary vocabulary(file->token_bytes(), file->dims(), file->path());
  } catch (const models::ModelError&) {
  }
}

}  // namespace wnpu::fuzz
