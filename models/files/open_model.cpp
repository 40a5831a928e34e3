#include "models/files/open_model.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/ctranslate2_file.h"
#include "models/files/ggml_file.h"
#include "models/files/safetensors_file.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormats =
    "a CTranslate2 directory (model.bin), a HuggingFace directory (model.safetensors) or a ggml "
    "file";
constexpr std::string_view kConvert =
    "a PyTorch checkpoint (pickle runs code from the file, so it is not read: convert it to "
    "safetensors, CTranslate2 or ggml)";

[[noreturn]] void refuse(const fs::path& path, std::string_view found) {
  throw ModelError(path.string() + ": expected " + std::string(kFormats) + ", found " +
                   std::string(found));
}

constexpr std::size_t kShown = 5;

// The first few names in a directory, for the message that none of them is a model.
std::string listing(const fs::path& directory) {
  constexpr std::size_t kSeen = 1000;  // enough to choose five from
  std::error_code error;
  std::vector<std::string> names = names_in(directory, error, kSeen);
  if (error) throw fs::filesystem_error("cannot list", directory, error);
  if (names.empty()) return "an empty directory";
  std::sort(names.begin(), names.end());
  std::string text = "a directory with";
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += " " + names[i];
  return names.size() > kShown ? text + " ..." : text;
}

std::unique_ptr<ModelFile> open_directory(const fs::path& path) {
  if (fs::exists(join(path, "model.bin"))) return open_ctranslate2(path);
  if (has_safetensors(path)) return open_safetensors(path);
  if (fs::exists(join(path, "pytorch_model.bin"))) refuse(path, kConvert);
  refuse(path, listing(path));
}

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

// What a file that is no model seems to be.
std::string describe(std::string_view start) {
  if (start.empty()) return "an empty file";
  // torch.save's archive begins with NAME/data.pkl; before version 1.6 it was a bare pickle.
  const bool is_zip = start.starts_with("PK\x03\x04");
  if (is_zip && start.find("data.pkl") != start.npos) return std::string(kConvert);
  if (is_zip) return "a zip archive";
  if (start.starts_with("\x80\x02")) return std::string(kConvert);
  if (start.starts_with("GGUF")) return "a GGUF file, which Whisper models do not use";
  if (is_text(start)) return "a text file";
  return "a file of another kind";
}

// After the binary version (4 bytes) and the name's length (2 bytes).
bool is_ctranslate2(std::string_view start) {
  return start.size() > 6 && start.substr(6).starts_with("WhisperSpec");
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::unique_ptr<ModelFile> open_file(const fs::path& path) {
  const MappedFile file(path);
  const std::string_view start = as_text(file.bytes()).substr(0, 512);
  if (is_ggml(start)) return open_ggml(path);
  // A user may name the file in place of its directory.
  if (is_ctranslate2(start) && path.filename() == "model.bin") {
    return open_ctranslate2(directory_of(path));
  }
  if (path.filename() == "model.safetensors") return open_safetensors(directory_of(path));
  refuse(path, describe(start));
}

}  // namespace

std::unique_ptr<ModelFile> open_model(const fs::path& path) try {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    refuse(path, error && status.type() != fs::file_type::not_found ? error.message() : "nothing");
  }
  return fs::is_directory(status) ? open_directory(path) : open_file(path);
} catch (const fs::filesystem_error& error) {  // a file or folder in it that may not be looked at
  refuse(error.path1(), error.code().message());
}

}  // namespace wnpu::models
