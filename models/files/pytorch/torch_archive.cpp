#include "models/files/pytorch/torch_archive.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/pytorch/zip_archive.h"
#include "models/files/tensor_layout.h"

namespace wnpu::models {
namespace {

using Kind = PickleValue::Kind;

// large-v3's has 300 KB.
constexpr std::size_t kMaxPickle = std::size_t{1} << 20U;
constexpr std::string_view kPickleName = "data.pkl";

std::optional<DType> storage_dtype(StorageType type) {
  switch (type) {
    case StorageType::f32:
      return DType::f32;
    case StorageType::f16:
      return DType::f16;
    case StorageType::bf16:
      return DType::bf16;
    case StorageType::other:
      break;
  }
  return std::nullopt;
}

}  // namespace

TorchArchive::TorchArchive(std::span<const std::byte> file, std::string path, std::size_t max_rank)
    : path_(std::move(path)), max_rank_(max_rank), members_(read_zip(file, path_)) {
  pickled_ = find_pickle();
  check_byte_order();
}

void TorchArchive::fail(const std::string& what, const std::string& expected,
                        const std::string& found) const {
  throw ModelError(path_ + ": " + what.substr(0, 100) + ": expected " + expected + ", found " +
                   found);
}

// All members are in a folder that torch.save calls as the file was called.
std::span<const std::byte> TorchArchive::find_pickle() {
  for (const auto& [name, bytes] : members_) {
    const std::size_t slash = name.find('/');
    if (slash == name.npos || std::string_view(name).substr(slash + 1) != kPickleName) continue;
    folder_ = name.substr(0, slash + 1);
    if (bytes.size() > kMaxPickle) {
      fail(name, "at most " + std::to_string(kMaxPickle) + " bytes", std::to_string(bytes.size()));
    }
    return bytes;
  }
  fail("archive", "data.pkl, as torch.save writes it", "none");
}

void TorchArchive::check_byte_order() const {
  const auto order = members_.find(folder_ + "byteorder");
  if (order != members_.end() && as_text(order->second) != "little") {
    fail(order->first, "little", "another");
  }
}

std::map<std::string, TensorView> TorchArchive::tensors(const PickleValue& state,
                                                        Numbers numbers) const {
  std::map<std::string, TensorView> tensors;
  for (std::size_t i = 0; i + 1 < state.items.size(); i += 2) {
    const PickleValue& name = *state.items[i];
    const PickleValue& value = *state.items[i + 1];
    if (name.kind != Kind::text || value.kind != Kind::tensor)
      fail("state dict", "names and tensors", "another value");
    const bool is_float = value.items[0]->type != StorageType::other;
    if (numbers == Numbers::floats_alone && !is_float) continue;
    if (!tensors.emplace(name.text, view_of(name.text, value)).second)
      fail(name.text, "one tensor of the name", "two");
  }
  return tensors;
}

std::vector<std::size_t> TorchArchive::sizes_of(const std::string& name,
                                                const PickleValue& tuple) const {
  std::vector<std::size_t> sizes;
  if (tuple.items.size() > max_rank_)
    fail(name, "at most " + std::to_string(max_rank_) + " extents", "more");
  for (const PickleValue* item : tuple.items) {
    if (item->kind != Kind::integer || item->integer < 0) fail(name, "extents", "another value");
    sizes.push_back(static_cast<std::size_t>(item->integer));
  }
  return sizes;
}

TensorView TorchArchive::view_of(const std::string& name, const PickleValue& tensor) const {
  const PickleValue& storage = *tensor.items[0];
  const auto dtype = storage_dtype(storage.type);
  if (!dtype) fail(name, "type float32, float16 or bfloat16", "another");
  TensorView view;
  view.dtype = *dtype;
  view.shape = sizes_of(name, *tensor.items[2]);
  view.is_mapped = true;
  check_strides(name, view.shape, sizes_of(name, *tensor.items[3]));
  const std::span<const std::byte> bytes = storage_bytes_of(name, storage, *dtype);
  const std::size_t element = block_layout(*dtype).bytes;
  const std::size_t n_elements = bytes.size() / element;
  const std::int64_t offset = tensor.items[1]->integer;
  const auto size = storage_bytes(*dtype, view.shape);
  if (offset < 0 || std::cmp_greater(offset, n_elements) || !size ||
      *size > bytes.size() - static_cast<std::size_t>(offset) * element) {
    fail(name, "a tensor within " + std::to_string(n_elements) + " elements",
         shape_text(view.shape) + " at " + std::to_string(offset));
  }
  view.bytes = bytes.subspan(static_cast<std::size_t>(offset) * element, *size);
  return view;
}

std::span<const std::byte> TorchArchive::storage_bytes_of(const std::string& name,
                                                          const PickleValue& storage,
                                                          DType dtype) const {
  const auto member = members_.find(folder_ + "data/" + storage.text);
  if (member == members_.end()) {
    fail(name, "its data in the archive", "no data/" + storage.text.substr(0, 60));
  }
  const std::size_t element = block_layout(dtype).bytes;
  const std::size_t bytes = member->second.size();
  if (bytes % element != 0 || std::cmp_not_equal(storage.integer, bytes / element)) {
    fail(name, std::to_string(storage.integer) + " elements of " + std::string(dtype_name(dtype)),
         std::to_string(bytes) + " bytes");
  }
  return member->second;
}

// Row-major without gaps; of an extent of 1 the stride is free.
void TorchArchive::check_strides(const std::string& name, const std::vector<std::size_t>& shape,
                                 const std::vector<std::size_t>& strides) const {
  std::size_t expected = 1;
  bool is_dense = strides.size() == shape.size();
  for (std::size_t i = shape.size(); is_dense && i > 0; --i) {
    is_dense = shape[i - 1] == 1 || strides[i - 1] == expected;
    if (!element_count(shape)) is_dense = false;
    expected *= shape[i - 1];
  }
  if (!is_dense) fail(name, "rows one after another", "strides " + shape_text(strides));
}

}  // namespace wnpu::models
