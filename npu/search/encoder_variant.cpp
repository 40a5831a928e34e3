#include "npu/search/encoder_variant.h"

namespace wnpu::npu {
namespace {

// One call's multiply-adds, those of int8 halved.
double weighted_work(const LayerShape& s, Precision precision) {
  const auto frames = static_cast<double>(s.frames);
  const auto width = static_cast<double>(s.width);
  const auto attended = static_cast<double>(s.attended());
  const auto hidden = static_cast<double>(s.hidden);
  // qkv and up are what int8 is for (design/layer_abi.cpp).
  const double of_int8 = frames * width * (3 * attended + hidden);
  const double of_bf16 = frames * (width * (attended + hidden) + 2 * frames * attended);
  return (precision == Precision::int8 ? 0.5 : 1.0) * of_int8 + of_bf16;
}

double weighted_work(const WholeEncoder& whole, const EncoderVariant& variant) {
  double work = 0;
  for (const LayerVariant& layer : variant.layers) {
    work += weighted_work(layer_shape(whole, variant, layer), layer.precision);
  }
  return work;
}

std::string fault(const std::string& what, const std::string& expected, std::size_t found) {
  return what + ": expected " + expected + ", found " + std::to_string(found);
}

std::string layer_fault(const WholeEncoder& whole, const LayerVariant& layer) {
  const std::string name = "layer " + std::to_string(layer.layer) + ": ";
  if (layer.layer >= whole.layers) {
    return fault("layer", "one below " + std::to_string(whole.layers), layer.layer);
  }
  if (layer.heads == 0 || layer.heads > whole.heads) {
    return fault(name + "heads", "1 to " + std::to_string(whole.heads), layer.heads);
  }
  if (layer.hidden == 0 || layer.hidden > whole.hidden) {
    return fault(name + "hidden", "1 to " + std::to_string(whole.hidden), layer.hidden);
  }
  return "";
}

// Layer's parameters as text; neighbours with the same text are listed once.
std::string layer_text(const LayerVariant& layer) {
  std::string text = std::to_string(layer.heads);
  text += layer.heads == 1 ? " head, hidden " : " heads, hidden ";
  text += std::to_string(layer.hidden) + ", " + std::string(precision_name(layer.precision));
  return text;
}

}  // namespace

EncoderVariant whole_variant(const WholeEncoder& whole) {
  EncoderVariant variant;
  for (std::size_t i = 0; i < whole.layers; ++i) {
    variant.layers.push_back({i, whole.heads, whole.hidden, Precision::bf16});
  }
  return variant;
}

std::size_t pooled_frames(std::size_t frames, std::size_t pooling) {
  return (frames + pooling - 1) / pooling;
}

LayerShape layer_shape(const WholeEncoder& whole, const EncoderVariant& variant,
                       const LayerVariant& layer) {
  return {pooled_frames(whole.frames, variant.pooling), whole.width, layer.heads, layer.hidden};
}

std::string variant_fault(const WholeEncoder& whole, const EncoderVariant& variant) {
  if (variant.pooling == 0 || variant.pooling > whole.frames) {
    return fault("pooling", "1 to " + std::to_string(whole.frames), variant.pooling);
  }
  if (variant.layers.empty()) return fault("layers", "at least 1", 0);
  for (std::size_t i = 0; i < variant.layers.size(); ++i) {
    std::string found = layer_fault(whole, variant.layers[i]);
    if (!found.empty()) return found;
    if (i > 0 && variant.layers[i].layer <= variant.layers[i - 1].layer) {
      return fault("layer", "one above " + std::to_string(variant.layers[i - 1].layer),
                   variant.layers[i].layer);
    }
  }
  return "";
}

std::string variant_text(const EncoderVariant& variant) {
  std::string text = "pooling " + std::to_string(variant.pooling);
  text += variant.layers.size() == 1 ? ", layer " : ", layers ";
  for (std::size_t i = 0; i < variant.layers.size();) {
    std::size_t end = i + 1;
    const auto continues = [&](std::size_t k) {
      return variant.layers[k].layer == variant.layers[k - 1].layer + 1 &&
             layer_text(variant.layers[k]) == layer_text(variant.layers[i]);
    };
    while (end < variant.layers.size() && continues(end)) ++end;
    if (i > 0) text += "; ";
    text += std::to_string(variant.layers[i].layer);
    if (end > i + 1) text += "-" + std::to_string(variant.layers[end - 1].layer);
    text += ": " + layer_text(variant.layers[i]);
    i = end;
  }
  return text;
}

double share_kept(const WholeEncoder& whole, const EncoderVariant& variant) {
  return weighted_work(whole, variant) / weighted_work(whole, whole_variant(whole));
}

}  // namespace wnpu::npu
