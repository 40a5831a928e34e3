// A Whisper model whose encoder comes from an ONNX file.
#pragma once

#include <filesystem>
#include <memory>

#include "models/files/model_file.h"

namespace wnpu::models {

// The encoder's weights from `path`; all else, its number of heads too, from `decoder`, which must
// outlive the result. Throws ModelError.
std::unique_ptr<ModelFile> import_onnx_encoder(const std::filesystem::path& path,
                                               const ModelFile& decoder);

}  // namespace wnpu::models
