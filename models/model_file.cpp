#include "models/model_file.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/byte_cursor.h"
#include "models/ctranslate2_file.h"
#include "models/error.h"
#include "models/ggml_file.h"
#include "models/mapped_file.h"
#include "models/safetensors_file.h"
#include "models/tensor_layout.h"
#include "models/tensor_names.h"

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

// The first few names in a directory, for the message that none of them is a model.
std::string listing(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (names.size() == 1000) break;  // enough to choose five from
    names.push_back(entry.path().filename().string());
  }
  if (names.empty()) return "an empty directory";
  std::sort(names.begin(), names.end());
  std::string text = "a directory with";
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += " " + names[i];
  return names.size() > kShown ? text + " ..." : text;
}

std::unique_ptr<ModelFile> open_directory(const fs::path& path) {
  if (fs::exists(path / "model.bin")) return open_ctranslate2(path);
  if (has_safetensors(path)) return open_safetensors(path);
  if (fs::exists(path / "pytorch_model.bin")) refuse(path, kConvert);
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

const TensorView& ModelFile::tensor(const std::string& name,
                                    std::span<const std::size_t> shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw ModelError(path_ + ": " + name + ": expected " + shape_text(shape) + ", found no tensor");
  }
  if (!std::ranges::equal(found->second.shape, shape)) {
    throw ModelError(path_ + ": " + name + ": expected " + shape_text(shape) + ", found " +
                     shape_text(found->second.shape));
  }
  return found->second;
}

std::string_view ModelFile::main_dtype() const {
  std::map<DType, std::size_t> elements;
  for (const auto& [name, tensor] : tensors_) {
    if (tensor.shape.size() >= 2) elements[tensor.dtype] += tensor.size();
  }
  const auto most = std::max_element(elements.begin(), elements.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == elements.end() ? std::string_view("none") : dtype_name(most->first);
}

void ModelFile::add_tensor(const std::string& name, TensorView tensor, const std::string& path) {
  if (!tensors_.emplace(name, std::move(tensor)).second) {
    throw ModelError(path + ": " + name + ": expected each tensor once, found it twice");
  }
}

void ModelFile::check_tensors(const std::string& path) const {
  std::size_t found = 0;
  for (const TensorSpec& spec : whisper_tensors(dims_)) {
    const auto tensor = tensors_.find(spec.name);
    if (tensor == tensors_.end() || tensor->second.shape != spec.shape) {
      throw ModelError(path + ": " + spec.name + ": expected " + shape_text(spec.shape) +
                       ", found " +
                       (tensor == tensors_.end() ? "no tensor" : shape_text(tensor->second.shape)));
    }
    ++found;
  }
  if (found == tensors_.size()) return;
  std::map<std::string, TensorView> extra = tensors_;
  for (const TensorSpec& spec : whisper_tensors(dims_)) extra.erase(spec.name);
  throw ModelError(path + ": " + extra.begin()->first +
                   ": expected only Whisper's tensors, found this one too");
}

std::unique_ptr<ModelFile> open_model(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    refuse(path, error && status.type() != fs::file_type::not_found ? error.message() : "nothing");
  }
  return fs::is_directory(status) ? open_directory(path) : open_file(path);
}

}  // namespace wnpu::models
