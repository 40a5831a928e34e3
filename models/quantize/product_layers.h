// The matrices of a Whisper model that are quantised, joined as CTranslate2's variables are.
#pragma once

#include <string>
#include <vector>

#include "models/base/dims.h"

namespace wnpu::models {

// A product of the encoder or decoder: several of the same input are one.
struct ProductLayer {
  std::string variable;            // CTranslate2's: "encoder/layer_0/self_attention/linear_0"
  std::vector<std::string> parts;  // openai/whisper's: "encoder.blocks.0.attn.query", ...
  bool has_bias = true;            // the embedding has none

  // "encoder.blocks.0.attn.query+key+value"
  std::string name() const;
  // Whether its inputs have 16 bits in int8 (models/weights/precision.h): those of a decoder's
  // step, and of attention in the encoder's first layer.
  bool has_fine_inputs() const;
};

// All of them, encoder first. Convolutions, vectors and positions are not among them.
std::vector<ProductLayer> product_layers(const Dims& dims);

// Point of a model where a channel can be scaled at no cost: the tensors that give it are divided,
// those that take it multiplied by the same factor, and the model computes what it did.
struct EqualizationPair {
  // Tensors whose outermost extent are the channels: a LayerNorm's weight and bias, a value
  // projection's.
  std::vector<std::string> givers;
  // Products that have the channels as their input; all see the same rows.
  std::vector<ProductLayer> takers;
};

// All of them: LayerNorms before products, the encoder's last one before all cross-attention's
// keys and values, and values before attention's output, since what is between the two is linear.
// Not among them: what is behind GELU, and the token embedding.
std::vector<EqualizationPair> equalization_pairs(const Dims& dims);

}  // namespace wnpu::models
