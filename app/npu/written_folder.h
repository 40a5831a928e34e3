// A folder that is there whole or not at all.
#pragma once

#include <filesystem>
#include <span>

#include "npu/emit/emitted_files.h"

namespace wnpu::app {

// Throws OutputError where `folder` is there and may not be replaced: without `overwrite`, and with
// it what write_folder() has not made.
void require_free(const std::filesystem::path& folder, bool overwrite);

// Writes the files and SHA256SUMS of them beside `folder`, then gives them its name. What was there
// is replaced in one step. Throws OutputError; nothing is left then.
void write_folder(const std::filesystem::path& folder, std::span<const npu::EmittedFile> files,
                  bool overwrite);

}  // namespace wnpu::app
