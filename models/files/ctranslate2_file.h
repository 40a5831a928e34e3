// CTranslate2 model directory: model.bin, config.json, vocabulary.json or .txt.
#pragma once

#include <filesystem>
#include <memory>

#include "models/files/model_file.h"

namespace wnpu::models {

// model.bin (python/ctranslate2/specs/model_spec.py ModelSpec._serialize): u32 binary version,
// string spec name, u32 revision, u32 count, then per variable: string name, u8 rank, u32 extents,
// u8 type, u32 bytes, the bytes; u32 count, then per alias: string alias, string variable.
// A string is u16 length, characters, NUL; the length counts the NUL. Throws ModelError.
std::unique_ptr<ModelFile> open_ctranslate2(const std::filesystem::path& directory);

}  // namespace wnpu::models
