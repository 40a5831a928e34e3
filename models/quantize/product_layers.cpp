// CTranslate2's names: python/ctranslate2/converters/transformers.py (BartLoader, WhisperLoader).
#include "models/quantize/product_layers.h"

#include <algorithm>
#include <string_view>

namespace wnpu::models {
namespace {

using Layers = std::vector<ProductLayer>;

void add_self_attention(Layers& layers, const std::string& scope, const std::string& block) {
  const std::string attn = block + ".attn";
  layers.push_back(
      {scope + "/self_attention/linear_0", {attn + ".query", attn + ".key", attn + ".value"}});
  layers.push_back({scope + "/self_attention/linear_1", {attn + ".out"}});
}

void add_cross_attention(Layers& layers, const std::string& scope, const std::string& block) {
  const std::string attn = block + ".cross_attn";
  layers.push_back({scope + "/attention/linear_0", {attn + ".query"}});
  layers.push_back({scope + "/attention/linear_1", {attn + ".key", attn + ".value"}});
  layers.push_back({scope + "/attention/linear_2", {attn + ".out"}});
}

void add_mlp_layers(Layers& layers, const std::string& scope, const std::string& block) {
  layers.push_back({scope + "/ffn/linear_0", {block + ".mlp.0"}});
  layers.push_back({scope + "/ffn/linear_1", {block + ".mlp.2"}});
}

}  // namespace

std::string ProductLayer::name() const {
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text += '+';
    text += parts[i].substr(parts[i].rfind('.') + 1);
  }
  return text;
}

bool ProductLayer::has_fine_inputs() const {
  const std::string& part = parts.front();
  if (part.starts_with("decoder.")) return !part.ends_with(".cross_attn.key");
  return part.starts_with("encoder.blocks.0.attn.");
}

std::vector<ProductLayer> product_layers(const Dims& dims) {
  Layers layers;
  for (std::size_t i = 0; i < dims.n_audio_layer; ++i) {
    const std::string number = std::to_string(i);
    const std::string scope = "encoder/layer_" + number;
    const std::string block = "encoder.blocks." + number;
    add_self_attention(layers, scope, block);
    add_mlp_layers(layers, scope, block);
  }
  layers.push_back({"decoder/embeddings", {"decoder.token_embedding"}, false});
  for (std::size_t i = 0; i < dims.n_text_layer; ++i) {
    const std::string number = std::to_string(i);
    const std::string scope = "decoder/layer_" + number;
    const std::string block = "decoder.blocks." + number;
    add_self_attention(layers, scope, block);
    add_cross_attention(layers, scope, block);
    add_mlp_layers(layers, scope, block);
  }
  return layers;
}

namespace {

// The tensors that give a product its channels, less their ".weight" and ".bias"; empty: none that
// could be divided.
std::string giver_of(const ProductLayer& layer) {
  const std::string& part = layer.parts.front();
  const std::size_t at = part.rfind('.', part.ends_with("mlp.0") ? part.size() - 3 : part.size());
  const std::string block = part.substr(0, at);  // "decoder.blocks.0.cross_attn"
  const std::string_view kind = std::string_view(part).substr(at + 1);
  if (kind == "out") return block + ".value";
  if (kind == "query") return block + "_ln";
  if (kind == "mlp.0") return block + ".mlp_ln";
  return kind == "key" ? "encoder.ln_post" : "";  // of cross-attention: others are with a query
}

}  // namespace

std::vector<EqualizationPair> equalization_pairs(const Dims& dims) {
  std::vector<EqualizationPair> points;
  for (const ProductLayer& layer : product_layers(dims)) {
    const std::string giver = giver_of(layer);
    if (giver.empty()) continue;
    const std::vector<std::string> givers{giver + ".weight", giver + ".bias"};
    const auto same = std::ranges::find(points, givers, &EqualizationPair::givers);
    if (same != points.end()) {
      same->takers.push_back(layer);
    } else {
      points.push_back({givers, {layer}});
    }
  }
  return points;
}

}  // namespace wnpu::models
