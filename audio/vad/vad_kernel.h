// Operations between the products of silero_vad.h's network, on the widest SIMD instructions of the
// machine.
#pragma once

#include <span>

namespace wnpu::audio {

// torch.nn.LSTMCell behind its products: `gates` holds the sums of input, forget, cell and output
// gate one behind the other, [4 n]; cell and hidden [n] become the next. n is a multiple of 16.
void lstm_step(std::span<const float> gates, std::span<float> cell, std::span<float> hidden);

// x = max(x, 0).
void relu(std::span<float> x);

}  // namespace wnpu::audio
