// A folder that is there whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "models/base/folder.h"

namespace wnpu::app {

// Kind of a folder: the command that makes it, and a file that marks it.
struct FolderKind {
  std::string command;  // that makes it: "npu emit"
  std::string mark;     // a file that each of them has beside SHA256SUMS
};

// Throws OutputError where `folder` is there and may not be replaced: without `overwrite`, and with
// it what is not of this kind or holds anything but the files of its SHA256SUMS, as they were made;
// and where nothing can be made beside it.
void require_free(const std::filesystem::path& folder, bool overwrite, const FolderKind& kind);

// Writes the files and SHA256SUMS of them beside `folder`, then gives them its name. What was there
// is replaced in one step. Throws OutputError, and what the files throw; nothing is left then, and
// where a signal ends the process. A killed one leaves ".whisper-npu.<number>.part", which the next
// write_folder() there removes.
void write_folder(const std::filesystem::path& folder, std::span<const models::StreamedFile> files,
                  bool overwrite, const FolderKind& kind);

}  // namespace wnpu::app
