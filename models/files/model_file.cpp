#include "models/files/model_file.h"

#include <algorithm>
#include <functional>

#include "models/base/error.h"
#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"

namespace wnpu::models {
namespace {

// Bytes of tensors for each byte of theirs in the file.
constexpr std::size_t kMostSharing = 2;

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
  return most == elements.end() ? kNoDType : dtype_name(most->first);
}

void ModelFile::add_tensor(const std::string& name, TensorView tensor, const std::string& path) {
  if (!tensors_.emplace(name, std::move(tensor)).second) {
    throw ModelError(path + ": " + name + ": expected each tensor once, found it twice");
  }
}

void ModelFile::check_shared_bytes(const std::string& path) const {
  std::vector<std::span<const std::byte>> parts;
  for (const auto& [name, tensor] : tensors_) parts.push_back(tensor.bytes);
  std::ranges::sort(parts, std::less<>(), [](const auto& part) { return part.data(); });
  std::size_t all = 0;
  std::size_t distinct = 0;
  const std::byte* end = nullptr;  // of the parts so far
  for (const auto& part : parts) {
    const std::byte* const part_end = part.data() + part.size();
    const std::byte* const begin = std::max(part.data(), end, std::less<>());
    all += part.size();
    if (begin < part_end) distinct += static_cast<std::size_t>(part_end - begin);
    end = std::max(end, part_end, std::less<>());
  }
  if (all <= kMostSharing * distinct) return;
  throw ModelError(path + ": expected tensors with bytes of their own, found " +
                   std::to_string(all) + " bytes of tensors in " + std::to_string(distinct));
}

void ModelFile::check_tensors(const std::string& path) const {
  check_shared_bytes(path);
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

}  // namespace wnpu::models
