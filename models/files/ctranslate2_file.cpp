// Gives CTranslate2's variables openai/whisper's names. Layouts: python/ctranslate2/converters/
// transformers.py (BartLoader, WhisperLoader): self_attention/linear_0 holds query, key and value
// one above the other, attention/linear_1 key and value; their biases likewise, with zeros for the
// key, which has none in Whisper.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/json_file.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/ctranslate2_variables.h"
#include "models/files/formats.h"
#include "models/files/tensor_layout.h"
#include "models/files/tokenizer_files.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;
using ctranslate2::Type;
using ctranslate2::Variable;
using ctranslate2::Variables;

class CTranslate2File final : public ModelFile {
 public:
  explicit CTranslate2File(const fs::path& directory);

 private:
  // A part of a fused matrix: the openai name, or empty for what must be zeros.
  using Names = std::vector<std::string>;

  [[noreturn]] void fail(const std::string& name, const std::string& expected,
                         const std::string& found) const;
  // Removes a variable from those not used yet.
  Variable take(const std::string& name);
  const Variable& look_at(const std::string& name) const;
  std::size_t extent(const std::string& name, std::size_t axis) const;
  std::size_t count_layers(const std::string& scope) const;
  long take_scalar(const std::string& name);
  void read_dims();
  void check_flags();
  void read_config(const fs::path& path);

  TensorView take_view(const std::string& name);
  TensorView view_of(const std::string& name, const Variable& variable);
  std::span<const float> take_scales(const std::string& name, DType dtype, std::size_t rows);
  void check_zeros(const std::string& name, const TensorView& view) const;
  void add_parts(const std::string& variable, const Names& names);
  void add_linear(const std::string& scope, const Names& names);
  void add_layer_norm(const std::string& scope, const std::string& name);
  void add_self_attention(const std::string& scope, const std::string& block);
  void add_cross_attention(const std::string& scope, const std::string& block);
  void add_mlp(const std::string& scope, const std::string& block);
  void add_encoder();
  void add_decoder();

  MappedFile file_;
  std::string file_path_;  // of model.bin: what messages about variables name
  Variables variables_;
  std::vector<std::vector<float>> scales_;  // what row_scales of the views point into
};

CTranslate2File::CTranslate2File(const fs::path& directory)
    : file_(join(directory, "model.bin")), file_path_(join(directory, "model.bin").string()) {
  path_ = directory.string();
  format_ = kCTranslate2;
  variables_ = ctranslate2::read_variables(file_.bytes(), file_path_);
  read_dims();
  check_flags();
  add_encoder();
  add_decoder();
  if (!variables_.by_name.empty()) {
    fail(variables_.by_name.begin()->first, "only Whisper's variables", "one more");
  }
  check_tensors(file_path_);
  read_config(join(directory, "config.json"));
  token_bytes_ = read_text_tokens(directory, dims_.n_text_tokens(), dims_.n_vocab);
}

void CTranslate2File::fail(const std::string& name, const std::string& expected,
                           const std::string& found) const {
  throw ModelError(file_path_ + ": " + name + ": expected " + expected + ", found " + found);
}

const Variable& CTranslate2File::look_at(const std::string& name) const {
  const auto found = variables_.by_name.find(name);
  if (found == variables_.by_name.end()) fail(name, "this variable", "none of the name");
  return found->second;
}

Variable CTranslate2File::take(const std::string& name) {
  Variable variable = look_at(name);
  variables_.by_name.erase(name);
  return variable;
}

std::size_t CTranslate2File::extent(const std::string& name, std::size_t axis) const {
  const Variable& variable = look_at(name);
  if (axis >= variable.shape.size()) {
    fail(name, "at least " + std::to_string(axis + 1) + " extents", shape_text(variable.shape));
  }
  return variable.shape[axis];
}

std::size_t CTranslate2File::count_layers(const std::string& scope) const {
  std::size_t layers = 0;
  const auto has_layer = [&](std::size_t i) {
    return variables_.by_name.contains(scope + "/layer_" + std::to_string(i) +
                                       "/self_attention/linear_0/weight");
  };
  while (has_layer(layers)) ++layers;
  return layers;
}

// Whole numbers are kept as scalars of 1, 2 or 4 bytes.
long CTranslate2File::take_scalar(const std::string& name) {
  const Variable variable = take(name);
  ByteCursor bytes(variable.bytes, file_path_);
  if (variable.shape.empty()) {
    if (variable.type == Type::i8) return bytes.read<std::int8_t>(name);
    if (variable.type == Type::i16) return bytes.read<std::int16_t>(name);
    if (variable.type == Type::i32) return bytes.read<std::int32_t>(name);
  }
  fail(name, "a whole number", "a variable of shape " + shape_text(variable.shape));
}

void CTranslate2File::read_dims() {
  const auto heads = [this](const std::string& name) {
    return static_cast<std::size_t>(std::max(take_scalar(name), 0L));
  };
  dims_.n_audio_state = extent("encoder/conv1/weight", 0);
  dims_.n_mels = extent("encoder/conv1/weight", 1);
  dims_.n_audio_ctx = extent("encoder/position_encodings/encodings", 0);
  dims_.n_audio_head = heads("encoder/num_heads");
  dims_.n_audio_layer = count_layers("encoder");
  dims_.n_vocab = extent("decoder/embeddings/weight", 0);
  dims_.n_text_state = extent("decoder/embeddings/weight", 1);
  dims_.n_text_ctx = extent("decoder/position_encodings/encodings", 0);
  dims_.n_text_head = heads("decoder/num_heads");
  dims_.n_text_layer = count_layers("decoder");
  validate(dims_, file_path_);
}

// The decoder's switches must say what a Whisper decoder does. A switch unknown here must be off.
void CTranslate2File::check_flags() {
  // Activation (common_spec.py): 3 is GELU; before revision 3 the only GELU was 1.
  const long gelu = variables_.revision < 3 ? 1 : 3;
  const long activation = take_scalar("decoder/activation");
  if (activation != gelu)
    fail("decoder/activation", std::to_string(gelu), std::to_string(activation));
  const long pre_norm = take_scalar("decoder/pre_norm");
  if (pre_norm != 1) fail("decoder/pre_norm", "1", std::to_string(pre_norm));
  std::vector<std::string> scalars;
  for (const auto& [name, variable] : variables_.by_name) {
    // A float is no switch: int16 weights have one as their scale.
    if (variable.shape.empty() && variable.type != Type::f32) scalars.push_back(name);
  }
  for (const std::string& name : scalars) {
    const long value = take_scalar(name);
    // Heads that CTranslate2 itself would average for alignment, apart from config.json.
    const bool is_alignment = name.starts_with("decoder/alignment_");
    if (value != 0 && !is_alignment) fail(name, "0", std::to_string(value));
  }
}

void CTranslate2File::read_config(const fs::path& path) {
  const auto config = read_json(path, kMaxConfigBytes);
  // lang_ids is left alone: the language tokens follow from n_vocab, and converters have written
  // the multilingual ids for English-only models too.
  config_.suppress_tokens = ids_at(config, "suppress_ids", dims_.n_vocab, path.string());
  config_.suppress_tokens_begin =
      ids_at(config, "suppress_ids_begin", dims_.n_vocab, path.string());
  config_.alignment_heads =
      pairs_at(config, "alignment_heads", {dims_.n_text_layer, dims_.n_text_head}, path.string());
}

// Scales of an integer variable (model_spec.py _quantize): int8 has one a row, int16 one, which is
// a scalar; value = integer / scale.
std::span<const float> CTranslate2File::take_scales(const std::string& name, DType dtype,
                                                    std::size_t rows) {
  const std::string scale_name = name + "_scale";
  Variable variable = take(scale_name);
  const bool is_one = dtype == DType::i16_rows;
  const std::vector<std::size_t> shape(is_one ? 0 : 1, rows);
  if (variable.shape != shape) {
    fail(scale_name, is_one ? "a scalar" : shape_text(shape), shape_text(variable.shape));
  }
  if (is_one) variable.shape = {1};
  std::vector<float> scales(variable.shape.front());
  dequantize(view_of(scale_name, variable), scales);
  for (const float scale : scales) {
    if (!std::isfinite(scale) || scale <= 0) {
      fail(scale_name, "finite scales above 0", std::to_string(scale));
    }
  }
  scales.resize(rows, scales.front());
  return scales_.emplace_back(std::move(scales));
}

TensorView CTranslate2File::take_view(const std::string& name) { return view_of(name, take(name)); }

TensorView CTranslate2File::view_of(const std::string& name, const Variable& variable) {
  TensorView view;
  view.shape = variable.shape;
  view.bytes = variable.bytes;
  view.is_mapped = true;
  if (view.shape.empty() || view.size() == 0) fail(name, "a tensor", shape_text(view.shape));
  switch (variable.type) {
    case Type::f32:
      view.dtype = DType::f32;
      break;
    case Type::f16:
      view.dtype = DType::f16;
      break;
    case Type::bf16:
      view.dtype = DType::bf16;
      break;
    case Type::i8:
      view.dtype = DType::i8_rows;
      break;
    case Type::i16:
      view.dtype = DType::i16_rows;
      break;
    case Type::i32:
      fail(name, "float32, float16, bfloat16, int8 or int16", "int32");
  }
  if (has_row_scales(view.dtype)) view.row_scales = take_scales(name, view.dtype, view.shape[0]);
  return view;
}

void CTranslate2File::check_zeros(const std::string& name, const TensorView& view) const {
  std::vector<float> values(view.size());
  dequantize(view, values);
  const auto other = std::find_if(values.begin(), values.end(), [](float v) { return v != 0; });
  if (other != values.end()) fail(name, "zeros as the key's bias", std::to_string(*other));
}

// Splits a variable along its rows into equal parts, one a name.
void CTranslate2File::add_parts(const std::string& variable, const Names& names) {
  const TensorView whole = take_view(variable);
  const std::size_t parts = names.size();
  if (whole.shape[0] % parts != 0) {
    fail(variable, "rows in " + std::to_string(parts) + " equal parts", shape_text(whole.shape));
  }
  const std::size_t rows = whole.shape[0] / parts;
  const std::size_t bytes = whole.bytes.size() / parts;
  for (std::size_t i = 0; i < parts; ++i) {
    TensorView part = whole;
    part.shape[0] = rows;
    part.bytes = whole.bytes.subspan(i * bytes, bytes);
    if (!whole.row_scales.empty()) part.row_scales = whole.row_scales.subspan(i * rows, rows);
    if (names[i].empty()) {
      check_zeros(variable, part);
    } else {
      add_tensor(names[i], std::move(part), file_path_);
    }
  }
}

// A (fused) linear; the part called "...key" has no bias.
void CTranslate2File::add_linear(const std::string& scope, const Names& names) {
  Names weights;
  Names biases;
  for (const std::string& name : names) {
    weights.push_back(name + ".weight");
    biases.push_back(name.ends_with(".key") ? "" : name + ".bias");
  }
  add_parts(scope + "/weight", weights);
  add_parts(scope + "/bias", biases);
}

void CTranslate2File::add_layer_norm(const std::string& scope, const std::string& name) {
  add_parts(scope + "/gamma", {name + ".weight"});
  add_parts(scope + "/beta", {name + ".bias"});
}

void CTranslate2File::add_self_attention(const std::string& scope, const std::string& block) {
  const std::string attn = block + ".attn";
  add_layer_norm(scope + "/self_attention/layer_norm", block + ".attn_ln");
  add_linear(scope + "/self_attention/linear_0", {attn + ".query", attn + ".key", attn + ".value"});
  add_linear(scope + "/self_attention/linear_1", {attn + ".out"});
}

void CTranslate2File::add_cross_attention(const std::string& scope, const std::string& block) {
  const std::string attn = block + ".cross_attn";
  add_layer_norm(scope + "/attention/layer_norm", block + ".cross_attn_ln");
  add_linear(scope + "/attention/linear_0", {attn + ".query"});
  add_linear(scope + "/attention/linear_1", {attn + ".key", attn + ".value"});
  add_linear(scope + "/attention/linear_2", {attn + ".out"});
}

void CTranslate2File::add_mlp(const std::string& scope, const std::string& block) {
  add_layer_norm(scope + "/ffn/layer_norm", block + ".mlp_ln");
  add_linear(scope + "/ffn/linear_0", {block + ".mlp.0"});
  add_linear(scope + "/ffn/linear_1", {block + ".mlp.2"});
}

void CTranslate2File::add_encoder() {
  add_linear("encoder/conv1", {"encoder.conv1"});
  add_linear("encoder/conv2", {"encoder.conv2"});
  add_parts("encoder/position_encodings/encodings", {"encoder.positional_embedding"});
  for (std::size_t i = 0; i < dims_.n_audio_layer; ++i) {
    const std::string scope = "encoder/layer_" + std::to_string(i);
    const std::string block = "encoder.blocks." + std::to_string(i);
    add_self_attention(scope, block);
    add_mlp(scope, block);
  }
  add_layer_norm("encoder/layer_norm", "encoder.ln_post");
}

void CTranslate2File::add_decoder() {
  const TensorView output = take_view("decoder/projection/weight");
  add_parts("decoder/embeddings/weight", {"decoder.token_embedding.weight"});
  // Whisper's output matrix is its embedding; the converter makes the one an alias of the other.
  const TensorView& embedding = tensors_.at("decoder.token_embedding.weight");
  const bool is_alias = output.bytes.data() == embedding.bytes.data();
  if (!is_alias && (output.dtype != embedding.dtype || output.shape != embedding.shape ||
                    !std::ranges::equal(output.bytes, embedding.bytes))) {
    fail("decoder/projection/weight", "the same values as decoder/embeddings/weight", "others");
  }
  add_parts("decoder/position_encodings/encodings", {"decoder.positional_embedding"});
  for (std::size_t i = 0; i < dims_.n_text_layer; ++i) {
    const std::string scope = "decoder/layer_" + std::to_string(i);
    const std::string block = "decoder.blocks." + std::to_string(i);
    add_self_attention(scope, block);
    add_cross_attention(scope, block);
    add_mlp(scope, block);
  }
  add_layer_norm("decoder/layer_norm", "decoder.ln");
}

}  // namespace

std::unique_ptr<ModelFile> open_ctranslate2(const fs::path& directory) {
  return std::make_unique<CTranslate2File>(directory);
}

}  // namespace wnpu::models
