// Names and shapes: openai/whisper model.py (AudioEncoder, TextDecoder, ResidualAttentionBlock).
#include "models/files/tensor_names.h"

#include <array>
#include <string_view>
#include <utility>

namespace wnpu::models {
namespace {

using Specs = std::vector<TensorSpec>;

void add_layer_norm(Specs& specs, const std::string& name, std::size_t width) {
  specs.push_back({name + ".weight", {width}});
  specs.push_back({name + ".bias", {width}});
}

void add_linear(Specs& specs, const std::string& name, std::size_t out, std::size_t in) {
  specs.push_back({name + ".weight", {out, in}});
  specs.push_back({name + ".bias", {out}});
}

void add_attention(Specs& specs, const std::string& name, std::size_t width) {
  add_linear(specs, name + ".query", width, width);
  specs.push_back({name + ".key.weight", {width, width}});  // no bias
  add_linear(specs, name + ".value", width, width);
  add_linear(specs, name + ".out", width, width);
}

void add_mlp(Specs& specs, const std::string& block, std::size_t width) {
  add_layer_norm(specs, block + ".mlp_ln", width);
  add_linear(specs, block + ".mlp.0", 4 * width, width);
  add_linear(specs, block + ".mlp.2", width, 4 * width);
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t found = text.find(from);
  if (found != std::string::npos) text.replace(found, from.size(), to);
}

}  // namespace

std::vector<TensorSpec> whisper_tensors(const Dims& dims) {
  Specs specs;
  const std::size_t audio = dims.n_audio_state;
  const std::size_t text = dims.n_text_state;
  specs.push_back({"encoder.conv1.weight", {audio, dims.n_mels, 3}});
  specs.push_back({"encoder.conv1.bias", {audio}});
  specs.push_back({"encoder.conv2.weight", {audio, audio, 3}});
  specs.push_back({"encoder.conv2.bias", {audio}});
  specs.push_back({"encoder.positional_embedding", {dims.n_audio_ctx, audio}});
  for (std::size_t i = 0; i < dims.n_audio_layer; ++i) {
    const std::string block = "encoder.blocks." + std::to_string(i);
    add_layer_norm(specs, block + ".attn_ln", audio);
    add_attention(specs, block + ".attn", audio);
    add_mlp(specs, block, audio);
  }
  add_layer_norm(specs, "encoder.ln_post", audio);
  specs.push_back({"decoder.token_embedding.weight", {dims.n_vocab, text}});
  specs.push_back({"decoder.positional_embedding", {dims.n_text_ctx, text}});
  for (std::size_t i = 0; i < dims.n_text_layer; ++i) {
    const std::string block = "decoder.blocks." + std::to_string(i);
    add_layer_norm(specs, block + ".attn_ln", text);
    add_attention(specs, block + ".attn", text);
    add_layer_norm(specs, block + ".cross_attn_ln", text);
    add_attention(specs, block + ".cross_attn", text);
    add_mlp(specs, block, text);
  }
  add_layer_norm(specs, "decoder.ln", text);
  return specs;
}

// models/whisper/convert_openai_to_hf.py WHISPER_MAPPING, read from right to left.
std::string transformers_name(std::string name) {
  constexpr std::array<std::pair<const char*, const char*>, 15> kWords = {
      {{"positional_embedding", "embed_positions.weight"},
       {"token_embedding", "embed_tokens"},
       {"encoder.ln_post", "encoder.layer_norm"},
       {"decoder.ln.", "decoder.layer_norm."},
       {".blocks.", ".layers."},
       {".cross_attn", ".encoder_attn"},
       {".attn", ".self_attn"},
       {"attn_ln", "attn_layer_norm"},
       {".query", ".q_proj"},
       {".key", ".k_proj"},
       {".value", ".v_proj"},
       {"attn.out", "attn.out_proj"},
       {".mlp_ln", ".final_layer_norm"},
       {".mlp.0", ".fc1"},
       {".mlp.2", ".fc2"}}};
  for (const auto& [from, to] : kWords) replace(name, from, to);
  return "model." + name;
}

}  // namespace wnpu::models
