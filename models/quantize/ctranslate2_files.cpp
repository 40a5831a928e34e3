// Layout: ctranslate2_variables.cpp, which reads it, and CTranslate2's model_spec.py _serialize.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/ctranslate2_variables.h"
#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"
#include "models/quantize/quantized_files.h"
#include "models/quantize/stored_values.h"
#include "models/text/byte_level.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"

namespace wnpu::models {
namespace {

using ctranslate2::Type;
using nlohmann::json;

// Binary version and WhisperSpec's revision: the newest of ctranslate2_variables.cpp.
constexpr std::uint32_t kVersion = 6;
constexpr std::uint32_t kRevision = 3;

template <typename T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void append_text(std::string& bytes, const std::string& text) {
  append_number(bytes, static_cast<std::uint16_t>(text.size() + 1));
  bytes.append(text.c_str(), text.size() + 1);
}

Type type_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return Type::f16;
    case DType::bf16:
      return Type::bf16;
    case DType::i8_rows:
      return Type::i8;
    case DType::i16_rows:
      return Type::i16;
    default:
      return Type::f32;
  }
}

// Name, shape, type and values.
std::string variable_bytes(const std::string& name, std::span<const std::size_t> shape, Type type,
                           std::string_view values) {
  if (values.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ModelError(name + ": expected less than 4 GB, the format's limit, found " +
                     std::to_string(values.size()) + " bytes");
  }
  std::string bytes;
  append_text(bytes, name);
  append_number(bytes, static_cast<std::uint8_t>(shape.size()));
  for (const std::size_t extent : shape) append_number(bytes, static_cast<std::uint32_t>(extent));
  append_number(bytes, static_cast<std::uint8_t>(type));
  append_number(bytes, static_cast<std::uint32_t>(values.size()));
  bytes += values;
  return bytes;
}

// The variables of a model, each made when it is written.
class VariableList {
 public:
  VariableList(const ModelFile& file, const std::vector<QuantizedLayer>& layers) : file_(file) {
    add_scalars();
    for (const QuantizedLayer& layer : layers) add_layer(layer);
    for (const TensorSpec& spec : whisper_tensors(file.dims())) add_other(spec);
  }

  void write(const Sink& sink) const {
    std::string header;
    append_number(header, kVersion);
    append_text(header, "WhisperSpec");
    append_number(header, kRevision);
    append_number(header, n_variables_);
    sink(header);
    for (const auto& make : makers_) sink(make());
    std::string aliases;
    append_number(aliases, std::uint32_t{1});
    append_text(aliases, "decoder/projection/weight");
    append_text(aliases, "decoder/embeddings/weight");
    sink(aliases);
  }

 private:
  void add(std::uint32_t n_variables, std::function<std::string()> make) {
    n_variables_ += n_variables;
    makers_.push_back(std::move(make));
  }

  template <typename T>
  void add_scalar(const std::string& name, T value) {
    std::string bytes;
    append_number(bytes, value);
    const Type type = sizeof(T) == 1 ? Type::i8 : Type::i16;
    add(1, [=] { return variable_bytes(name, {}, type, bytes); });
  }

  // transformer_spec.py, whisper_spec.py. 3: GELU. Heads for alignment come from config.json.
  void add_scalars() {
    const Dims& dims = file_.dims();
    add_scalar("decoder/activation", std::int8_t{3});
    add_scalar("decoder/alibi", std::int8_t{0});
    add_scalar("decoder/alignment_heads", std::int16_t{1});
    add_scalar("decoder/alignment_layer", std::int16_t{-1});
    add_scalar("decoder/num_heads", static_cast<std::int16_t>(dims.n_text_head));
    add_scalar("decoder/pre_norm", std::int8_t{1});
    add_scalar("decoder/scale_embeddings", std::int8_t{0});
    add_scalar("encoder/num_heads", static_cast<std::int16_t>(dims.n_audio_head));
  }

  void add_layer(const QuantizedLayer& layer) {
    const std::string name = layer.layer.variable + "/weight";
    add(has_row_scales(layer.type) ? 2 : 1, [this, layer, name] {
      const Matrix weights = layer_weights(file_, layer.layer);
      const StoredValues stored = stored_values(layer.type, weights.view(), name);
      const std::array shape{weights.rows(), weights.cols()};
      std::string bytes = variable_bytes(name, shape, type_of(layer.type), stored.bytes);
      return has_row_scales(layer.type) ? bytes + scale_bytes(layer.type, name, stored) : bytes;
    });
    if (!layer.layer.has_bias) return;
    add(1, [this, layer] { return bias_bytes(layer.layer); });
  }

  // int8 has a scale a row, int16 one, a scalar.
  static std::string scale_bytes(DType type, const std::string& name, const StoredValues& stored) {
    std::span<const float> scales = stored.row_scales;
    std::vector<std::size_t> shape{scales.size()};
    if (type == DType::i16_rows) {
      scales = scales.first(1);
      shape.clear();
    }
    return variable_bytes(name + "_scale", shape, Type::f32, as_text(std::as_bytes(scales)));
  }

  // Zeros for the key, which has none.
  std::string bias_bytes(const ProductLayer& layer) const {
    std::vector<float> all;
    const std::size_t n_rows = layer_rows(layer);
    const std::size_t part_rows = n_rows / layer.parts.size();
    for (const std::string& part : layer.parts) {
      const std::size_t first = all.size();
      all.resize(first + part_rows);
      if (part.ends_with(".key")) continue;
      const std::array shape{part_rows};
      read_finite({file_.tensor(part + ".bias", shape), file_.path() + ": " + part + ".bias"},
                  std::span(all).subspan(first));
    }
    const std::array shape{n_rows};
    return variable_bytes(layer.variable + "/bias", shape, Type::f32,
                          as_text(std::as_bytes(std::span(all))));
  }

  std::size_t layer_rows(const ProductLayer& layer) const {
    const std::size_t state = layer.parts.front().starts_with("encoder.")
                                  ? file_.dims().n_audio_state
                                  : file_.dims().n_text_state;
    return state * layer.parts.size() * (layer.parts.front().ends_with(".mlp.0") ? 4 : 1);
  }

  // Convolutions in the type that keeps their values; LayerNorms and positions in fp32.
  void add_other(const TensorSpec& spec) {
    const std::string name = other_name(spec.name);
    if (name.empty()) return;
    add(1, [this, spec, name] {
      const TensorView& view = file_.tensor(spec.name, spec.shape);
      const DType type = spec.shape.size() == kMaxRank ? exact_type(view.dtype) : DType::f32;
      Matrix values = Matrix::uninitialised(view.shape[0], view.row_size());
      read_finite({view, file_.path() + ": " + spec.name}, values.flat());
      return variable_bytes(name, spec.shape, type_of(type),
                            stored_values(type, values.view(), name).bytes);
    });
  }

  // CTranslate2's name of what is no product's; else nothing.
  static std::string other_name(const std::string& name) {
    const std::string side = name.substr(0, name.find('.'));
    const std::string kind = name.substr(name.rfind('.') + 1);
    if (name.ends_with(".positional_embedding")) return side + "/position_encodings/encodings";
    if (name.starts_with("encoder.conv")) {
      return side + "/" + name.substr(side.size() + 1, 5) + "/" + kind;
    }
    const std::string vector = kind == "weight" ? "/gamma" : "/beta";
    if (name.starts_with("encoder.ln_post.") || name.starts_with("decoder.ln.")) {
      return side + "/layer_norm" + vector;
    }
    constexpr std::array<std::pair<const char*, const char*>, 3> kNorms = {
        {{".attn_ln.", "/self_attention"},
         {".cross_attn_ln.", "/attention"},
         {".mlp_ln.", "/ffn"}}};
    for (const auto& [norm, block] : kNorms) {
      const std::size_t end = name.find(norm);
      if (end == std::string::npos) continue;
      const std::string layer = name.substr(name.find(".blocks.") + 8);
      return side + "/layer_" + layer.substr(0, layer.find('.')) + block + "/layer_norm" + vector;
    }
    return "";
  }

  const ModelFile& file_;
  std::uint32_t n_variables_ = 0;
  std::vector<std::function<std::string()>> makers_;
};

json ct2_config(const ModelFile& file, const Vocabulary& vocabulary) {
  json languages = json::array();
  for (const Language& language : vocabulary.languages()) {
    languages.push_back(*vocabulary.language_token(language.code));
  }
  const ModelConfig& lists = file.config();
  json config = {{"suppress_ids", lists.suppress_tokens},
                 {"suppress_ids_begin", lists.suppress_tokens_begin},
                 {"lang_ids", languages}};
  if (!lists.alignment_heads.empty()) config["alignment_heads"] = lists.alignment_heads;
  return config;
}

json ct2_vocabulary(const ModelFile& file, const Vocabulary& vocabulary) {
  json tokens = json::array();
  for (const std::string& bytes : file.token_bytes()) tokens.push_back(spelling_of_bytes(bytes));
  for (std::size_t id = tokens.size(); id < vocabulary.size(); ++id) {
    const auto token = static_cast<TokenId>(id);
    tokens.push_back(vocabulary.decode_with_timestamps({&token, 1}));
  }
  return tokens;
}

}  // namespace

std::vector<StreamedFile> ctranslate2_files(const ModelFile& file,
                                            const std::vector<QuantizedLayer>& layers) {
  const Vocabulary vocabulary(file.token_bytes(), file.dims(), file.path());
  constexpr int kIndent = 2;
  std::vector<StreamedFile> files;
  const auto list = std::make_shared<VariableList>(file, layers);
  files.push_back({"model.bin", [list](const Sink& sink) { list->write(sink); }});
  files.push_back({"config.json", [text = ct2_config(file, vocabulary).dump(kIndent) +
                                          "\n"](const Sink& sink) { sink(text); }});
  files.push_back({"vocabulary.json", [text = ct2_vocabulary(file, vocabulary).dump(kIndent) +
                                              "\n"](const Sink& sink) { sink(text); }});
  const std::filesystem::path tokenizer = std::filesystem::path(file.path()) / "tokenizer.json";
  std::error_code error;
  if (std::filesystem::is_regular_file(tokenizer, error)) {
    files.push_back({"tokenizer.json", [tokenizer](const Sink& sink) {
                       sink(as_text(MappedFile(tokenizer).bytes()));
                     }});
  }
  return files;
}

}  // namespace wnpu::models
