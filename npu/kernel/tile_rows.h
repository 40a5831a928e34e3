// Kernels that see whole rows: layer norm and the quantisation of activations.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/kernels.h"
#include "npu/kernel/tile_epilogue.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

// 1 / sqrt(x) for normal x > 0: the array's cores have no square root. First guess by exponent
// halving, then Newton; each step squares the relative error (3.4e-2, 1.8e-3, 4.7e-6, 3.3e-11).
inline float reciprocal_sqrt(float x) {
  constexpr std::uint32_t kGuess = 0x5f3759dfu;
  float y = std::bit_cast<float>(kGuess - (std::bit_cast<std::uint32_t>(x) >> 1));
  for (int step = 0; step < 3; ++step) y = y * (1.5f - 0.5f * x * y * y);
  return y;
}

template <typename X>
inline void layer_norm_tile(RowsShape s, const X* x, bfloat16* y) {
  constexpr float kEpsilon = 1e-5f;  // openai/whisper model.py LayerNorm: torch's default
  const float per_element = 1.0f / static_cast<float>(s.width);
  for (std::size_t row = 0; row < s.rows; ++row, x += s.width, y += s.width) {
    Vec16 sum = aie::zeros<float, 16>();
    for (std::size_t i = 0; i < s.width; i += 16) sum = aie::add(sum, load_float(x + i));
    const Vec16 mean = aie::broadcast<float, 16>(aie::reduce_add(sum) * per_element);

    Acc16 squares{};
    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 centred = aie::sub(load_float(x + i), mean);
      squares = aie::mac(squares, centred, centred);
    }
    const float variance = aie::reduce_add(squares.template to_vector<float>()) * per_element;
    const Vec16 scale = aie::broadcast<float, 16>(reciprocal_sqrt(variance + kEpsilon));
    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 centred = aie::sub(load_float(x + i), mean);
      store_float(y + i, aie::mul(centred, scale).template to_vector<float>());
    }
  }
}

inline void quantise_tile(RowsShape s, const bfloat16* x, std::int8_t* q, float* scale) {
  constexpr float kMax = 127.0f;  // symmetric: -128 is not used
  for (std::size_t row = 0; row < s.rows; ++row, x += s.width, q += s.width) {
    Vec16 largest = aie::zeros<float, 16>();
    for (std::size_t i = 0; i < s.width; i += 16) {
      largest = aie::max(largest, aie::abs(load_float(x + i)));
    }
    const float absolute = aie::reduce_max(largest);
    scale[row] = absolute * (1.0f / kMax);
    const Vec16 to_unit = aie::broadcast<float, 16>(absolute > 0.0f ? aie::inv(absolute) : 0.0f);
    const Vec16 to_steps = aie::broadcast<float, 16>(kMax);
    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 unit = aie::mul(load_float(x + i), to_unit).template to_vector<float>();
      const Vec16 steps = aie::mul(unit, to_steps).template to_vector<float>();
      aie::store_v(q + i, aie::to_fixed<std::int8_t>(steps, 0));
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
