// A model on disk: dims, vocabulary and named tensors, whatever the format. Tensors carry
// openai/whisper's state-dict names ("encoder.blocks.0.attn.query.weight"); each reader maps its
// format's names to these, splits fused matrices, and checks every name, shape, type and length.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/dims.h"

namespace wnpu::models {

// Element types found in model files. i8_rows is CTranslate2's int8: one fp32 scale a row,
// value = int8 / scale. The q types are ggml's blocks of 32 along a row.
enum class DType { f32, f16, bf16, i8_rows, q4_0, q4_1, q5_0, q5_1, q8_0 };

std::string_view dtype_name(DType dtype);

// One tensor as it lies in the file; bytes and scales live as long as the ModelFile.
struct TensorView {
  DType dtype = DType::f32;
  std::vector<std::size_t> shape;          // outermost first, as openai/whisper prints it
  std::span<const std::byte> bytes;        // row-major
  std::span<const float> row_scales = {};  // i8_rows: shape[0] of them
  bool is_mapped = false;                  // of a file's pages, which release() gives back

  std::size_t size() const;  // number of elements
  // Elements of one of shape[0]'s entries.
  std::size_t row_size() const { return shape[0] == 0 ? 0 : size() / shape[0]; }
};

// Writes `tensor` as fp32, row-major; out.size() must be tensor.size().
void dequantize(const TensorView& tensor, std::span<float> out);

// Entries first, first + 1, ... of the outermost extent.
TensorView row_range(const TensorView& tensor, std::size_t first, std::size_t count);

// For who has read a tensor for the last time: the pages that it alone fills count no longer as
// this process' memory. What reads them again gets them from the file.
void release(const TensorView& tensor);

// What is read apart from the weights. Optional lists are empty where the format has none.
struct ModelConfig {
  std::vector<int> suppress_tokens;
  std::vector<int> suppress_tokens_begin;
  std::vector<std::pair<int, int>> alignment_heads;  // (decoder layer, head)
};

class ModelFile {
 public:
  virtual ~ModelFile() = default;

  const std::string& path() const { return path_; }
  std::string_view format() const { return format_; }  // "ctranslate2", "ggml", "safetensors"
  const Dims& dims() const { return dims_; }
  const ModelConfig& config() const { return config_; }
  // Text vocabulary: the bytes of each token id, special tokens excluded. Empty where the
  // directory has no tokenizer file; make_vocabulary then refuses.
  const std::vector<std::string>& token_bytes() const { return token_bytes_; }
  // Throws ModelError if there is no such tensor or its shape differs from `shape`.
  const TensorView& tensor(const std::string& name, std::span<const std::size_t> shape) const;
  bool has(const std::string& name) const { return tensors_.contains(name); }
  // The commonest type among the big matrices, e.g. "f16": what JSON shows as model.quantization.
  std::string_view main_dtype() const;

 protected:
  // For readers. Enters a tensor; ModelError if there is one of the name already. `path` names the
  // file it comes from.
  void add_tensor(const std::string& name, TensorView tensor, const std::string& path);
  // ModelError unless tensors_ holds just what a model of dims_ has, each in its shape.
  void check_tensors(const std::string& path) const;

  std::string path_;
  std::string_view format_;
  Dims dims_;
  ModelConfig config_;
  std::vector<std::string> token_bytes_;
  std::map<std::string, TensorView> tensors_;
};

// Opens a CTranslate2 directory, a HuggingFace safetensors directory or a ggml .bin, told apart by
// what is there. Throws ModelError.
std::unique_ptr<ModelFile> open_model(const std::filesystem::path& path);

}  // namespace wnpu::models
