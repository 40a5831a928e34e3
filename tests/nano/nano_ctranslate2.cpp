#include "tests/nano/nano_ctranslate2.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/nano/nano_codec.h"

namespace wnpu::tests {
namespace {

using models::DType;
using Names = std::vector<std::string>;

class Builder {
 public:
  Builder(const NanoModel& model, Ct2Quantization quantization)
      : model_(model), quantization_(quantization) {}

  Ct2Model build() {
    scalar("decoder/activation", std::int8_t{3});
    scalar("decoder/alibi", std::int8_t{0});
    scalar("decoder/alignment_heads", std::int16_t{1});
    scalar("decoder/alignment_layer", std::int16_t{-1});
    scalar("decoder/num_heads", static_cast<std::int16_t>(model_.dims.n_text_head));
    scalar("decoder/pre_norm", std::int8_t{1});
    scalar("decoder/scale_embeddings", std::int8_t{0});
    scalar("encoder/num_heads", static_cast<std::int16_t>(model_.dims.n_audio_head));
    weight("decoder/embeddings/weight", {"decoder.token_embedding.weight"});
    plain("decoder/position_encodings/encodings", {"decoder.positional_embedding"});
    plain("encoder/position_encodings/encodings", {"encoder.positional_embedding"});
    linear("encoder/conv1", {"encoder.conv1"});
    linear("encoder/conv2", {"encoder.conv2"});
    layer_norm("encoder/layer_norm", "encoder.ln_post");
    layer_norm("decoder/layer_norm", "decoder.ln");
    for (std::size_t i = 0; i < model_.dims.n_audio_layer; ++i) layer("encoder", i);
    for (std::size_t i = 0; i < model_.dims.n_text_layer; ++i) layer("decoder", i);
    std::ranges::sort(out_.variables, {}, &Ct2Variable::name);
    out_.aliases = {{"decoder/projection/weight", "decoder/embeddings/weight"}};
    out_.config = config();
    out_.vocabulary = token_list_json(model_.token_bytes);
    return std::move(out_);
  }

 private:
  template <typename T>
  void scalar(const std::string& name, T value) {
    out_.variables.push_back(
        {name, {}, sizeof(T) == 1 ? std::uint8_t{1} : std::uint8_t{2}, bytes_of(value)});
  }

  // The tensors of those names one above the other; a missing one (key.bias) counts as zeros.
  NanoTensor stack(const Names& names) const {
    NanoTensor stacked = model_.tensors.at(names.front());
    const std::size_t rows = stacked.shape[0];
    for (std::size_t i = 1; i < names.size(); ++i) {
      const auto part = model_.tensors.find(names[i]);
      if (part != model_.tensors.end()) {
        stacked.values.insert(stacked.values.end(), part->second.values.begin(),
                              part->second.values.end());
      } else {
        stacked.values.resize(stacked.values.size() + rows);
      }
    }
    stacked.shape[0] = rows * names.size();
    return stacked;
  }

  static std::vector<std::uint32_t> shape32(const NanoTensor& tensor) {
    return {tensor.shape.begin(), tensor.shape.end()};
  }

  void plain(const std::string& name, const Names& names) {
    const NanoTensor tensor = stack(names);
    DType dtype = DType::f32;
    std::uint8_t type = 0;
    if (quantization_ == Ct2Quantization::float16 ||
        quantization_ == Ct2Quantization::int8_float16) {
      dtype = DType::f16;
      type = 4;
    } else if (quantization_ == Ct2Quantization::bfloat16) {
      dtype = DType::bf16;
      type = 5;
    }
    out_.variables.push_back({name, shape32(tensor), type, encode(dtype, tensor.values)});
  }

  void weight(const std::string& name, const Names& names) {
    if (quantization_ != Ct2Quantization::int8 && quantization_ != Ct2Quantization::int8_float16) {
      plain(name, names);
      return;
    }
    const NanoTensor tensor = stack(names);
    const Int8Rows rows = encode_int8(tensor.values, tensor.shape[0]);
    out_.variables.push_back({name, shape32(tensor), 1, rows.bytes});
    out_.variables.push_back({name + "_scale",
                              {static_cast<std::uint32_t>(tensor.shape[0])},
                              0,
                              encode(DType::f32, rows.scales)});
  }

  void linear(const std::string& scope, const Names& names) {
    Names weights;
    Names biases;
    for (const std::string& name : names) {
      weights.push_back(name + ".weight");
      biases.push_back(name + ".bias");
    }
    weight(scope + "/weight", weights);
    if (biases.front().ends_with("key.bias")) {
      // Key comes before value and has no bias to take the shape from.
      NanoTensor bias = stack({biases[1], "none"});
      // Not by std::ranges: Clang 14 cannot read the result's type in libstdc++ 12.
      std::rotate(bias.values.begin(),
                  bias.values.begin() + static_cast<long>(bias.values.size() / 2),
                  bias.values.end());
      NanoModel one;
      one.tensors.emplace("bias", bias);
      Builder builder(one, quantization_);
      builder.plain(scope + "/bias", {"bias"});
      out_.variables.push_back(builder.out_.variables.front());
    } else {
      plain(scope + "/bias", biases);
    }
  }

  void layer_norm(const std::string& scope, const std::string& name) {
    plain(scope + "/gamma", {name + ".weight"});
    plain(scope + "/beta", {name + ".bias"});
  }

  void layer(const std::string& part, std::size_t i) {
    const std::string scope = part + "/layer_" + std::to_string(i);
    const std::string block = part + ".blocks." + std::to_string(i);
    layer_norm(scope + "/self_attention/layer_norm", block + ".attn_ln");
    linear(scope + "/self_attention/linear_0",
           {block + ".attn.query", block + ".attn.key", block + ".attn.value"});
    linear(scope + "/self_attention/linear_1", {block + ".attn.out"});
    if (part == "decoder") {
      layer_norm(scope + "/attention/layer_norm", block + ".cross_attn_ln");
      linear(scope + "/attention/linear_0", {block + ".cross_attn.query"});
      linear(scope + "/attention/linear_1",
             {block + ".cross_attn.key", block + ".cross_attn.value"});
      linear(scope + "/attention/linear_2", {block + ".cross_attn.out"});
    }
    layer_norm(scope + "/ffn/layer_norm", block + ".mlp_ln");
    linear(scope + "/ffn/linear_0", {block + ".mlp.0"});
    linear(scope + "/ffn/linear_1", {block + ".mlp.2"});
  }

  std::string config() const {
    const nlohmann::json config = {{"suppress_ids", model_.config.suppress_tokens},
                                   {"suppress_ids_begin", model_.config.suppress_tokens_begin},
                                   {"alignment_heads", model_.config.alignment_heads},
                                   {"lang_ids", {50259, 50260}}};
    return config.dump(2);
  }

  const NanoModel& model_;
  Ct2Quantization quantization_;
  Ct2Model out_;
};

// u16 length with the NUL, characters, NUL.
std::string text_bytes(const std::string& text) {
  return bytes_of(static_cast<std::uint16_t>(text.size() + 1)) + text + '\0';
}

}  // namespace

Ct2Variable& Ct2Model::at(const std::string& name) {
  const auto found = std::ranges::find(variables, name, &Ct2Variable::name);
  if (found == variables.end()) throw std::out_of_range("no variable " + name);
  return *found;
}

Ct2Model to_ctranslate2(const NanoModel& model, Ct2Quantization quantization) {
  return Builder(model, quantization).build();
}

void write(const Ct2Model& model, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::string bytes = bytes_of(model.version) + text_bytes(model.spec) + bytes_of(model.revision);
  bytes += bytes_of(static_cast<std::uint32_t>(model.variables.size()));
  for (const Ct2Variable& variable : model.variables) {
    bytes += text_bytes(variable.name);
    bytes += static_cast<char>(variable.shape.size());
    for (const std::uint32_t extent : variable.shape) bytes += bytes_of(extent);
    bytes += static_cast<char>(variable.type);
    bytes += bytes_of(static_cast<std::uint32_t>(variable.bytes.size()));
    bytes += variable.bytes;
  }
  bytes += bytes_of(static_cast<std::uint32_t>(model.aliases.size()));
  for (const auto& [alias, name] : model.aliases) bytes += text_bytes(alias) + text_bytes(name);
  std::ofstream(directory / "model.bin", std::ios::binary) << bytes << model.trailing;
  std::ofstream(directory / "config.json") << model.config;
  std::ofstream(directory / "vocabulary.json") << model.vocabulary;
}

std::string token_list_json(const std::vector<std::string>& token_bytes) {
  static std::map<std::vector<std::string>, std::string> made;
  const auto [found, is_new] = made.try_emplace(token_bytes);
  if (!is_new) return found->second;
  std::vector<std::string> spelled;
  spelled.reserve(token_bytes.size());
  for (const std::string& bytes : token_bytes) spelled.push_back(gpt2_spelling(bytes));
  spelled.emplace_back("<|endoftext|>");
  return found->second = nlohmann::json(spelled).dump(0);
}

void write_device_model(const std::filesystem::path& directory, const DeviceModel& model) {
  // Most test cases want the same.
  static std::map<std::pair<std::size_t, std::size_t>, Ct2Model> made;
  const auto [found, is_new] = made.try_emplace({model.n_heads, model.n_layers});
  if (is_new) {
    NanoSpec spec;
    spec.dims.n_audio_head = spec.dims.n_text_head = model.n_heads;
    spec.dims.n_audio_state = spec.dims.n_text_state = 64 * model.n_heads;
    spec.dims.n_audio_layer = model.n_layers;
    found->second = to_ctranslate2(make_nano_model(spec), Ct2Quantization::float16);
  }
  write(found->second, directory);
}

}  // namespace wnpu::tests
