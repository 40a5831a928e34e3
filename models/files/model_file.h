// A model on disk: dims, vocabulary and named tensors, whatever the format. Tensors carry
// openai/whisper's state-dict names ("encoder.blocks.0.attn.query.weight"); each reader maps its
// format's names to these, splits fused matrices, and checks every name, shape, type and length.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/dims.h"
#include "models/files/operand_store.h"
#include "models/files/tensor_view.h"

namespace wnpu::models {

// Names of the file formats.
inline constexpr std::string_view kCTranslate2 = "ctranslate2";
inline constexpr std::string_view kGgml = "ggml";
inline constexpr std::string_view kSafetensors = "safetensors";
inline constexpr std::string_view kPytorch = "pytorch";
inline constexpr std::string_view kPacked = "packed";
inline constexpr std::array<std::string_view, 5> kFileFormats{kCTranslate2, kGgml, kSafetensors,
                                                              kPytorch, kPacked};

// Type that main_dtype() names for a file without matrices.
inline constexpr std::string_view kNoDType = "none";

// Most bytes of a file of settings. config.json and generation_config.json have a few KB, the index
// of a sharded large-v3 130 KB.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20U;

// Most bytes of a text token. The longest in use, a run of spaces, has 128.
inline constexpr std::size_t kMaxTokenBytes = 1024;

// Settings read apart from the weights. Optional lists are empty where the format has none.
struct ModelConfig {
  std::vector<int> suppress_tokens;
  std::vector<int> suppress_tokens_begin;
  std::vector<std::pair<int, int>> alignment_heads;  // (layer, head) that the decoder has
};

// Origin of a packed file (models/files/packed_format.h): its maker and its source.
struct PackedOrigin {
  std::string made_by;  // for people
  Packing packing;
  std::vector<std::string> precisions;  // that there are operands for
  std::string source_format;            // one of kFileFormats
  std::string source_sha256;            // of the file with the weights
};

class ModelFile {
 public:
  virtual ~ModelFile() = default;

  const std::string& path() const { return path_; }
  std::string_view format() const { return format_; }  // one of kFileFormats
  const Dims& dims() const { return dims_; }
  const ModelConfig& config() const { return config_; }
  // Text vocabulary: the bytes of each token id, special tokens excluded. Empty where the
  // directory has no tokenizer file: Vocabulary's constructor then throws ModelError.
  const std::vector<std::string>& token_bytes() const { return token_bytes_; }
  // Throws ModelError if there is no such tensor or its shape differs from `shape`.
  const TensorView& tensor(const std::string& name, std::span<const std::size_t> shape) const;
  bool has(const std::string& name) const { return tensors_.contains(name); }
  const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  // Origin of a packed file; null for files of other formats.
  virtual const PackedOrigin* origin() const { return nullptr; }
  // Store in which packed matrices are looked for, and kept; null: there is none. It must outlive
  // the file.
  OperandStore* operands() const { return operands_; }
  void use_operands(OperandStore* operands) { operands_ = operands; }
  // The commonest type among the big matrices, e.g. "f16": what JSON shows as model.quantization.
  std::string_view main_dtype() const;

 protected:
  // For readers. Enters a tensor; ModelError if there is one of the name already. `path` names the
  // file it comes from.
  void add_tensor(const std::string& name, TensorView tensor, const std::string& path);
  // ModelError unless tensors_ holds just what a model of dims_ has, each in its shape and in bytes
  // of its own.
  void check_tensors(const std::string& path) const;

  // ModelError where tensors share so many bytes that a small file would take much memory. Formats
  // may keep equal vectors once.
  void check_shared_bytes(const std::string& path) const;

  std::string path_;
  std::string_view format_;
  Dims dims_;
  ModelConfig config_;
  std::vector<std::string> token_bytes_;
  std::map<std::string, TensorView> tensors_;

 private:
  OperandStore* operands_ = nullptr;
};

}  // namespace wnpu::models
