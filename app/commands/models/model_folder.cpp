#include "app/commands/models/model_folder.h"

#include <filesystem>

#include "app/system/write_all.h"

namespace wnpu::app {

void write_model_folder(const std::string& folder, std::span<const models::StreamedFile> files,
                        bool overwrite, const FolderKind& kind) {
  write_folder(folder, files, overwrite, kind);
  std::string text;
  for (const models::StreamedFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(folder) / file.name;
    std::error_code error;
    text +=
        path.string() + ": " + std::to_string(std::filesystem::file_size(path, error)) + " bytes\n";
  }
  print_report(text);
}

}  // namespace wnpu::app
