#include "tests/nano/nano_safetensors.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "tests/nano/nano_codec.h"

namespace wnpu::tests {
namespace {

using models::DType;
using nlohmann::json;

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  if (found != std::string::npos) text.replace(found, from.size(), to);
}

// transformers' name, part by part: "model.encoder.layers.0.self_attn.q_proj.weight".
std::string hf_name(const std::string& name) {
  std::string hf = "model." + name;
  if (name.find("positional") != std::string::npos) {
    replace(hf, "positional_embedding", "embed_positions.weight");
  } else if (name.find(".blocks.") == std::string::npos) {
    replace(hf, "token_embedding", "embed_tokens");
    replace(hf, "ln_post", "layer_norm");
    replace(hf, "decoder.ln.", "decoder.layer_norm.");
  } else {
    replace(hf, ".blocks.", ".layers.");
    replace(hf, ".cross_attn_ln.", ".encoder_attn_layer_norm.");
    replace(hf, ".attn_ln.", ".self_attn_layer_norm.");
    replace(hf, ".cross_attn.", ".encoder_attn.");
    replace(hf, ".attn.", ".self_attn.");
    replace(hf, ".query.", ".q_proj.");
    replace(hf, ".key.", ".k_proj.");
    replace(hf, ".value.", ".v_proj.");
    replace(hf, ".out.", ".out_proj.");
    replace(hf, ".mlp_ln.", ".final_layer_norm.");
    replace(hf, ".mlp.0.", ".fc1.");
    replace(hf, ".mlp.2.", ".fc2.");
  }
  return hf;
}

std::string config_json(const models::Dims& dims) {
  const json config = {{"model_type", "whisper"},
                       {"activation_function", "gelu"},
                       {"scale_embedding", false},
                       {"d_model", dims.n_audio_state},
                       {"num_mel_bins", dims.n_mels},
                       {"max_source_positions", dims.n_audio_ctx},
                       {"max_target_positions", dims.n_text_ctx},
                       {"encoder_layers", dims.n_audio_layer},
                       {"decoder_layers", dims.n_text_layer},
                       {"encoder_attention_heads", dims.n_audio_head},
                       {"decoder_attention_heads", dims.n_text_head},
                       {"vocab_size", dims.n_vocab}};
  return config.dump(1);
}

}  // namespace

StTensor& StModel::at(const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &StTensor::name);
  if (found == tensors.end()) throw std::out_of_range("no tensor " + name);
  return *found;
}

std::string token_ids_json(const std::vector<std::string>& token_bytes) {
  // Most test cases want the same, of fifty thousand tokens.
  static std::map<std::vector<std::string>, std::string> made;
  const auto [found, is_new] = made.try_emplace(token_bytes);
  if (!is_new) return found->second;
  json ids = json::object();
  for (std::size_t id = 0; id < token_bytes.size(); ++id) ids[gpt2_spelling(token_bytes[id])] = id;
  return found->second = ids.dump();
}

StModel to_safetensors(const NanoModel& model, DType dtype) {
  StModel out;
  std::string type = "F32";
  if (dtype == DType::f16) type = "F16";
  if (dtype == DType::bf16) type = "BF16";
  for (const auto& [name, tensor] : model.tensors) {
    out.tensors.push_back({hf_name(name), type, tensor.shape, encode(dtype, tensor.values)});
  }
  out.config = config_json(model.dims);
  const json generation = {{"suppress_tokens", model.config.suppress_tokens},
                           {"begin_suppress_tokens", model.config.suppress_tokens_begin},
                           {"alignment_heads", model.config.alignment_heads}};
  out.generation_config = generation.dump(1);
  out.vocab = token_ids_json(model.token_bytes);
  return out;
}

std::string safetensors_bytes(std::span<const StTensor> tensors) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string values;
  for (const StTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {values.size(), values.size() + tensor.bytes.size()}}};
    values += tensor.bytes;
  }
  const std::string text = header.dump();
  return bytes_of(static_cast<std::uint64_t>(text.size())) + text + values;
}

void write(const StModel& model, const std::filesystem::path& directory, std::size_t shards) {
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "config.json") << model.config;
  if (!model.generation_config.empty()) {
    std::ofstream(directory / "generation_config.json") << model.generation_config;
  }
  if (!model.vocab.empty()) std::ofstream(directory / "vocab.json") << model.vocab;
  if (shards == 1) {
    std::ofstream(directory / "model.safetensors", std::ios::binary)
        << safetensors_bytes(model.tensors);
    return;
  }
  json index = {{"metadata", json::object()}, {"weight_map", json::object()}};
  const std::span<const StTensor> all(model.tensors);
  for (std::size_t i = 0; i < shards; ++i) {
    const std::size_t first = all.size() * i / shards;
    const auto part = all.subspan(first, all.size() * (i + 1) / shards - first);
    const std::string name = "model-" + std::to_string(i + 1) + ".safetensors";
    for (const StTensor& tensor : part) index["weight_map"][tensor.name] = name;
    std::ofstream(directory / name, std::ios::binary) << safetensors_bytes(part);
  }
  std::ofstream(directory / "model.safetensors.index.json") << index.dump();
}

}  // namespace wnpu::tests
