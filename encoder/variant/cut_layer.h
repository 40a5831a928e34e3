// A layer's weights, cut: what a variant of the encoder (npu/search/encoder_variant.h) keeps of
// them. Nothing is trained again.
#pragma once

#include <cstddef>
#include <vector>

#include "models/weights/weights.h"
#include "npu/search/encoder_variant.h"

namespace wnpu::encoder {

// The `kept` heads, ascending, that add the most to the states: by the Frobenius norm of out *
// value * diag(gamma), the matrix between the normalised states and what the head adds where it
// attends one position alone.
std::vector<std::size_t> heads_kept(const models::EncoderLayerWeights& layer, std::size_t head_size,
                                    std::size_t kept);

// The `kept` hidden columns, ascending, of the largest magnitude: by the norm of their row of mlp.0
// * diag(gamma) times the norm of their column of mlp.2.
std::vector<std::size_t> hidden_kept(const models::EncoderLayerWeights& layer, std::size_t kept);

// Weights of the layer's variant; int8 ones also rounded as on the array: gamma and beta become
// part of the products that follow, whose rows are rounded to steps of their largest value / 127
// (npu/design/layer_pack.cpp).
models::EncoderLayerWeights cut_layer(const models::EncoderLayerWeights& layer,
                                      std::size_t head_size, const npu::LayerVariant& variant);

}  // namespace wnpu::encoder
