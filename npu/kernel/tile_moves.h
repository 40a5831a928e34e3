// Data movement without arithmetic: vectors of 64 bytes, as a core loads and stores them.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

inline void fill_tile(std::size_t n, float value, float* y) {
  const Vec16 values = aie::broadcast<float, 16>(value);
  for (std::size_t at = 0; at < n; at += 16) aie::store_v(y + at, values);
}

inline void copy_floats_tile(std::size_t n, const float* x, float* y) {
  for (std::size_t at = 0; at < n; at += 16) aie::store_v(y + at, load_float(x + at));
}

inline void copy_tile(std::size_t n, const bfloat16* x, bfloat16* y) {
  for (std::size_t at = 0; at < n; at += 32) aie::store_v(y + at, aie::load_v<32>(x + at));
}

inline void widen_tile(std::size_t n, const bfloat16* x, float* y) {
  for (std::size_t at = 0; at < n; at += 16) {
    aie::store_v(y + at, load_accum(x + at).template to_vector<float>());
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
