// Weights in a model's shapes, seeded random: what is computed with them means nothing, how long it
// takes is what trained ones take.
#pragma once

#include <cstddef>

#include "models/weights/weights.h"

namespace wnpu::bench {

// The first n_layers of the layers that dims name; matrices keep the size of what they multiply.
models::EncoderWeights random_encoder_weights(const models::Dims& dims, std::size_t n_layers);

// Uniform in -bound .. bound, the same on every machine.
models::Matrix random_matrix(std::size_t rows, std::size_t cols, float bound);

}  // namespace wnpu::bench
