// A packed model file (packed_format.h), mapped.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/model_file.h"

namespace wnpu::models {

bool is_packed(std::string_view start);

// Checks the index against its checksum, and every place in it against the file. Weights and
// operands are not read: whether they are what was written, damaged_sections says. Throws
// ModelError.
std::unique_ptr<ModelFile> open_packed(const std::filesystem::path& path);

// Origin of a packed file, read from its index alone. Throws ModelError.
PackedOrigin packed_origin(const std::filesystem::path& path);

// Reads all of it. What differs from its checksum, each by its name; empty: nothing. Throws
// ModelError.
std::vector<std::string> damaged_sections(const std::filesystem::path& path);

}  // namespace wnpu::models
