#include "models/files/open_model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/formats.h"
#include "models/files/packed_file.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormats =
    "a CTranslate2 directory (model.bin), a HuggingFace directory (model.safetensors), a ggml "
    "file, an openai-whisper checkpoint (.pt) or a packed file (.wnpu)";
constexpr std::string_view kConvert =
    "a PyTorch file that is no checkpoint of openai-whisper (convert it to safetensors, "
    "CTranslate2 "
    "or ggml)";
constexpr std::string_view kOldTorch =
    "a pickle of torch before 1.6 (save it again with a newer one, or convert it to safetensors)";

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

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// The text tokens of the first model among the folders in `folder` that has this vocabulary.
std::vector<std::string> tokens_in(const fs::path& folder, const Dims& dims) {
  std::error_code error;
  std::vector<std::string> names = names_in(folder, error);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const fs::path path = join(folder, name);
    const bool is_converted = fs::exists(join(path, "model.bin"), error);
    if (!is_converted && !has_safetensors(path)) continue;
    try {
      const auto file = is_converted ? open_ctranslate2(path) : open_safetensors(path);
      const bool is_same = file->dims().is_multilingual() == dims.is_multilingual();
      if (is_same && !file->token_bytes().empty()) return file->token_bytes();
    } catch (const ModelError&) {  // it is not what was asked for
    }
  }
  return {};
}

std::unique_ptr<ModelFile> open_checkpoint(const fs::path& path, const fs::path& more_models) {
  return open_pytorch(path, [&](const Dims& dims) {
    std::vector<std::string> tokens = tokens_in(directory_of(path), dims);
    if (tokens.empty() && !more_models.empty()) tokens = tokens_in(more_models, dims);
    return tokens;
  });
}

std::unique_ptr<ModelFile> open_directory(const fs::path& path, const fs::path& more_models) {
  if (fs::exists(join(path, "model.bin"))) return open_ctranslate2(path);
  if (has_safetensors(path)) return open_safetensors(path);
  if (fs::exists(join(path, "ggml-model.bin"))) return open_ggml(join(path, "ggml-model.bin"));
  if (fs::exists(join(path, "model.pt")))
    return open_checkpoint(join(path, "model.pt"), more_models);
  if (fs::exists(join(path, "pytorch_model.bin"))) refuse(path, kConvert);
  refuse(path, listing(path));
}

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

bool is_zip(std::string_view start) { return start.starts_with("PK\x03\x04"); }

// Likely kind of a file that is no model, by its first bytes.
std::string describe(std::string_view start) {
  if (start.empty()) return "an empty file";
  // torch.save's archive begins with NAME/data.pkl; before version 1.6 it was a bare pickle.
  if (is_zip(start)) return "a zip archive";
  if (start.starts_with("\x80\x02")) return std::string(kOldTorch);
  if (start.starts_with("GGUF")) return "a GGUF file, which Whisper models do not use";
  if (is_text(start)) return "a text file";
  return "a file of another kind";
}

// After the binary version (4 bytes) and the name's length (2 bytes).
bool is_ctranslate2(std::string_view start) {
  return start.size() > 6 && start.substr(6).starts_with("WhisperSpec");
}

std::unique_ptr<ModelFile> open_file(const fs::path& path, const fs::path& more_models) {
  const MappedFile file(path);
  const std::string_view start = as_text(file.bytes()).substr(0, 512);
  if (is_packed(start)) return open_packed(path);
  if (is_ggml(start)) return open_ggml(path);
  const bool is_called_so = is_zip(start) && path.extension() == ".pt";
  if (is_called_so || is_pytorch_archive(start)) return open_checkpoint(path, more_models);
  // A user may name the file in place of its directory.
  if (is_ctranslate2(start) && path.filename() == "model.bin") {
    return open_ctranslate2(directory_of(path));
  }
  if (path.filename() == "model.safetensors") return open_safetensors(directory_of(path));
  refuse(path, describe(start));
}

}  // namespace

std::string_view format_of_beginning(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  std::array<char, 512> bytes{};
  std::ifstream input(file, std::ios::binary);
  input.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(input.gcount()));
  if (is_packed(start)) return kPacked;
  if (is_ggml(start)) return kGgml;
  if (is_ctranslate2(start)) return kCTranslate2;
  return is_pytorch_archive(start) ? kPytorch : std::string_view();
}

std::unique_ptr<ModelFile> open_model(const fs::path& path, const fs::path& more_models) try {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    refuse(path, error && status.type() != fs::file_type::not_found ? error.message() : "nothing");
  }
  return fs::is_directory(status) ? open_directory(path, more_models)
                                  : open_file(path, more_models);
} catch (const fs::filesystem_error& error) {  // a file or folder in it that may not be looked at
  refuse(error.path1(), error.code().message());
}

}  // namespace wnpu::models
