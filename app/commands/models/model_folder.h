// A folder of a model that a command makes, and what it says of it.
#pragma once

#include <span>
#include <string>

#include "app/output/written_folder.h"

namespace wnpu::app {

// As write_folder(); then a line for each file on stdout. Throws OutputError, ModelError.
void write_model_folder(const std::string& folder, std::span<const models::StreamedFile> files,
                        bool overwrite, const FolderKind& kind);

}  // namespace wnpu::app
