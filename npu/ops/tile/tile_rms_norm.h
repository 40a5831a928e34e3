// RMSNorm: a row over the root of its mean square, times a weight a column.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_rows.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

inline void rms_norm_tile(RowsShape s, float epsilon, const bfloat16* x, const float* gamma,
                          bfloat16* y) {
  const Vec16 added = aie::broadcast<float, 16>(epsilon);
  const Vec16 per_element = aie::inv(as_float(s.width));
  for (std::size_t row = 0; row < s.rows; ++row, x += s.width, y += s.width) {
    Acc16 squares;
    squares.from_vector(aie::zeros<float, 16>());
    for (std::size_t i = 0; i < s.width; i += 16) {
      const auto part = aie::load_v<16>(x + i);
      squares = aie::mac(squares, part, part);
    }
    const Vec16 scale = reciprocal_sqrt(aie::add(mean_of(squares, per_element), added));
    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 scaled = product(load_accum(x + i).template to_vector<float>(), scale);
      aie::store_v(y + i, aie::mul(scaled, load_float(gamma + i)).template to_vector<bfloat16>());
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
