// whisper.cpp's model file ("ggml", the format before GGUF).
#pragma once

#include <filesystem>
#include <memory>

#include "models/files/model_file.h"

namespace wnpu::models {

// models/convert-pt-to-ggml.py of ggml-org/whisper.cpp: u32 magic, 11 x i32 dims and type, mel
// filters (i32 rows, i32 columns, f32 values), vocabulary (i32 count, then per token u32 length,
// bytes), then up to the end of the file tensors: i32 rank, i32 name length, i32 type,
// i32 extents innermost first, name, values. Throws ModelError.
std::unique_ptr<ModelFile> open_ggml(const std::filesystem::path& path);

// Whether a file that begins so is one.
bool is_ggml(std::string_view start);

}  // namespace wnpu::models
