// Readers of model files, one a format; open_model.h tells formats apart.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/model_file.h"

namespace wnpu::models {

// CTranslate2 model directory: model.bin, config.json, vocabulary.json or .txt.
//
// model.bin (python/ctranslate2/specs/model_spec.py ModelSpec._serialize): u32 binary version,
// string spec name, u32 revision, u32 count, then per variable: string name, u8 rank, u32 extents,
// u8 type, u32 bytes, the bytes; u32 count, then per alias: string alias, string variable.
// A string is u16 length, characters, NUL; the length counts the NUL. Throws ModelError.
std::unique_ptr<ModelFile> open_ctranslate2(const std::filesystem::path& directory);

// whisper.cpp's model file ("ggml", the format before GGUF).
//
// models/convert-pt-to-ggml.py of ggml-org/whisper.cpp: u32 magic, 11 x i32 dims and type, mel
// filters (i32 rows, i32 columns, f32 values), vocabulary (i32 count, then per token u32 length,
// bytes), then up to the end of the file tensors: i32 rank, i32 name length, i32 type,
// i32 extents innermost first, name, values. Throws ModelError.
std::unique_ptr<ModelFile> open_ggml(const std::filesystem::path& path);

// Whether a file that begins so is one.
bool is_ggml(std::string_view start);

// HuggingFace model directory: config.json, generation_config.json, model.safetensors (in one or
// more files), a tokenizer.
// Throws ModelError.
std::unique_ptr<ModelFile> open_safetensors(const std::filesystem::path& directory);

// Whether a directory has weights of this kind.
bool has_safetensors(const std::filesystem::path& directory);

// Text tokens' bytes for a model of these dims, which a checkpoint lacks, from somewhere else; an
// empty list where there are none.
using TextTokens = std::function<std::vector<std::string>(const Dims& dims)>;

// openai-whisper's checkpoint: a zip archive of torch.save with dims and a state dict.
//
// openai/whisper __init__.py load_model: {"dims": ..., "model_state_dict": ...}, in fp32, fp16 or
// bf16. The pickle in it is read as data (pytorch/pickle.h). Text tokens are those of the tokenizer
// files in its folder, else what `find_tokens` gives. Throws ModelError.
std::unique_ptr<ModelFile> open_pytorch(const std::filesystem::path& path,
                                        const TextTokens& find_tokens);

// Whether a file that begins so is a zip archive of torch.save.
bool is_pytorch_archive(std::string_view start);

}  // namespace wnpu::models
