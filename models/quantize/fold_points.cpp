#include "models/quantize/fold_points.h"

#include <algorithm>
#include <string_view>

namespace wnpu::models {
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

std::vector<FoldPoint> fold_points(const Dims& dims) {
  std::vector<FoldPoint> points;
  for (const ProductLayer& layer : product_layers(dims)) {
    const std::string giver = giver_of(layer);
    if (giver.empty()) continue;
    const std::vector<std::string> givers{giver + ".weight", giver + ".bias"};
    const auto same = std::ranges::find(points, givers, &FoldPoint::givers);
    if (same != points.end()) {
      same->takers.push_back(layer);
    } else {
      points.push_back({givers, {layer}});
    }
  }
  return points;
}

}  // namespace wnpu::models
