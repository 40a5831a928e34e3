// Points of a model where a channel can be scaled at no cost: the tensors that give it are divided,
// those that take it multiplied by the same factor, and the model computes what it did.
#pragma once

#include <string>
#include <vector>

#include "models/base/dims.h"
#include "models/quantize/product_layers.h"

namespace wnpu::models {

struct FoldPoint {
  // Tensors whose outermost extent are the channels: a LayerNorm's weight and bias, a value
  // projection's.
  std::vector<std::string> givers;
  // Products that have the channels as their input; all see the same rows.
  std::vector<ProductLayer> takers;
};

// All of them: LayerNorms before products, the encoder's last one before all cross-attention's
// keys and values, and values before attention's output, since what is between the two is linear.
// Not among them: what is behind GELU, and the token embedding.
std::vector<FoldPoint> fold_points(const Dims& dims);

}  // namespace wnpu::models
