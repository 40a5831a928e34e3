#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "models/base/dims.h"
#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/formats.h"
#include "models/files/pytorch/pickle.h"
#include "models/files/pytorch/zip_archive.h"
#include "models/files/tensor_layout.h"
#include "models/files/tokenizer_files.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;
using Kind = PickleValue::Kind;
using Members = std::map<std::string, std::span<const std::byte>>;

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

class PytorchFile final : public ModelFile {
 public:
  PytorchFile(const fs::path& path, const TextTokens& find_tokens)
      : file_(path), members_(read_zip(file_.bytes(), path.string())) {
    path_ = path.string();
    format_ = kPytorch;
    const std::span<const std::byte> pickled = find_pickle();
    check_byte_order();
    const Pickle pickle(pickled, path_);
    read_dims(entry(pickle.root(), "dims"));
    read_tensors(entry(pickle.root(), "model_state_dict"));
    check_tensors(path_);
    token_bytes_ = text_tokens(find_tokens);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const {
    throw ModelError(path_ + ": " + what.substr(0, 100) + ": expected " + expected + ", found " +
                     found);
  }

  // All members are in a folder that torch.save calls as the file was called.
  std::span<const std::byte> find_pickle() {
    for (const auto& [name, bytes] : members_) {
      const std::size_t slash = name.find('/');
      if (slash == name.npos || std::string_view(name).substr(slash + 1) != kPickleName) continue;
      folder_ = name.substr(0, slash + 1);
      if (bytes.size() > kMaxPickle) {
        fail(name, "at most " + std::to_string(kMaxPickle) + " bytes",
             std::to_string(bytes.size()));
      }
      return bytes;
    }
    fail("archive", "data.pkl, as torch.save writes it", "none");
  }

  void check_byte_order() const {
    const auto order = members_.find(folder_ + "byteorder");
    if (order != members_.end() && as_text(order->second) != "little") {
      fail(order->first, "little", "another");
    }
  }

  const PickleValue& entry(const PickleValue& root, const std::string& key) const {
    const PickleValue* const found = root.find(key);
    if (found == nullptr || found->kind != Kind::dict) {
      fail("checkpoint", "openai-whisper's dims and model_state_dict", "no " + key);
    }
    return *found;
  }

  void read_dims(const PickleValue& values) {
    for (const DimName& dim : kDimNames) {
      const PickleValue* const value = values.find(dim.name);
      if (value == nullptr || value->kind != Kind::integer || value->integer < 0) {
        fail(std::string("dims: ") + dim.name, "a number", "none");
      }
      dims_.*dim.extent = static_cast<std::size_t>(value->integer);
    }
    validate(dims_, path_);
  }

  void read_tensors(const PickleValue& state) {
    for (std::size_t i = 0; i + 1 < state.items.size(); i += 2) {
      const PickleValue& name = *state.items[i];
      const PickleValue& value = *state.items[i + 1];
      if (name.kind != Kind::text || value.kind != Kind::tensor) {
        fail("model_state_dict", "names and tensors", "another value");
      }
      add_tensor(name.text, view_of(name.text, value), path_);
    }
  }

  std::vector<std::size_t> sizes_of(const std::string& name, const PickleValue& tuple) const {
    std::vector<std::size_t> sizes;
    if (tuple.items.size() > kMaxRank) fail(name, "at most 3 extents", "more");
    for (const PickleValue* item : tuple.items) {
      if (item->kind != Kind::integer || item->integer < 0) fail(name, "extents", "another value");
      sizes.push_back(static_cast<std::size_t>(item->integer));
    }
    return sizes;
  }

  TensorView view_of(const std::string& name, const PickleValue& tensor) const {
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

  std::span<const std::byte> storage_bytes_of(const std::string& name, const PickleValue& storage,
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
  void check_strides(const std::string& name, const std::vector<std::size_t>& shape,
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

  // GPT-2's vocabulary has one text token less than the multilingual one, and the end of text in
  // its place.
  bool is_english(const fs::path& folder) const {
    constexpr std::size_t kMultilingual = 50257;
    try {
      return read_text_tokens(folder, kMultilingual, kMultilingual + 2000).back() ==
             "<|endoftext|>";
    } catch (const ModelError&) {  // there is no such token
      return !dims_.is_multilingual();
    }
  }

  std::vector<std::string> text_tokens(const TextTokens& find_tokens) const {
    const fs::path path(path_);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::vector<std::string> tokens =
        read_text_tokens(folder, dims_.n_text_tokens(), dims_.n_vocab);
    if (!tokens.empty() && is_english(folder) == dims_.is_multilingual()) {
      fail("vocabulary",
           std::string(dims_.is_multilingual() ? "a multilingual" : "an English-only") +
               " tokenizer in " + folder.string(),
           "the other");
    }
    if (tokens.empty()) tokens = find_tokens(dims_);
    if (!tokens.empty()) return tokens;
    fail("vocabulary",
         std::string("tokenizer.json, vocab.json or vocabulary.txt beside the checkpoint, which "
                     "has none, or another ") +
             (dims_.is_multilingual() ? "multilingual" : "English-only") +
             " model in its folder or in the cache folder",
         "none");
  }

  MappedFile file_;
  Members members_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<ModelFile> open_pytorch(const fs::path& path, const TextTokens& find_tokens) {
  return std::make_unique<PytorchFile>(path, find_tokens);
}

bool is_pytorch_archive(std::string_view start) {
  return start.starts_with("PK\x03\x04") && start.find("/data.pkl") != start.npos;
}

}  // namespace wnpu::models
