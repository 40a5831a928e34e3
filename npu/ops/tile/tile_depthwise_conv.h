// A convolution over time of each channel by itself, looking back.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/ops/tile/operator_kernels.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

// Convolution of 16 channels; x and w point to the first of them in the current frame and in the
// first tap.
[[gnu::always_inline]] inline Acc16 convolved(const Acc16& bias, const bfloat16* x,
                                              const bfloat16* w, std::size_t taps,
                                              std::size_t channels) {
  Acc16 sum = bias;
  for (std::size_t k = 0; k < taps; ++k) {
    sum = aie::mac(sum, aie::load_v<16>(x - k * channels), aie::load_v<16>(w + k * channels));
  }
  return sum;
}

inline void depthwise_conv_tile(ConvolutionShape s, const bfloat16* x, const bfloat16* w,
                                const float* bias, bfloat16* y) {
  for (std::size_t c = 0; c < s.channels; c += 16) {
    Acc16 start;
    start.from_vector(load_float(bias + c));
    for (std::size_t t = 0; t < s.frames; ++t) {
      const std::size_t taps = t + 1 < s.taps ? t + 1 : s.taps;  // before the first frame is zero
      const std::size_t at = t * s.channels + c;
      store_accum(y + at, convolved(start, x + at, w + c, taps, s.channels));
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
