// Kernels that see whole rows: layer norm and the quantisation of activations. What is one number a
// row is a vector of it, as AIE2 has no scalar float arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

[[gnu::always_inline]] inline Vec16 product(const Vec16& a, const Vec16& b) {
  return aie::mul(a, b).template to_vector<float>();
}

// 1 / sqrt(x) for normal x > 0, to float: aie::invsqrt and two steps of Newton, each of which
// squares the relative error (7e-4, 7e-7, 7e-13).
inline Vec16 reciprocal_sqrt(const Vec16& x) {
  const Vec16 half = product(aie::broadcast<float, 16>(0.5f), x);
  const Vec16 three_halves = aie::broadcast<float, 16>(1.5f);
  Vec16 y = aie::invsqrt(x);
  for (int step = 0; step < 2; ++step) {
    y = product(y, aie::sub(three_halves, product(half, product(y, y))));
  }
  return y;
}

// A whole number as a vector of floats.
inline Vec16 as_float(std::size_t number) {
  return aie::to_float(aie::broadcast<std::int32_t, 16>(static_cast<std::int32_t>(number)));
}

// The mean of 16 sums over parts of a row.
[[gnu::always_inline]] inline Vec16 mean_of(const Acc16& sums, const Vec16& per_element) {
  const float sum = aie::reduce_add(sums.template to_vector<float>());
  return product(aie::broadcast<float, 16>(sum), per_element);
}

inline void layer_norm_tile(RowsShape s, const bfloat16* x, bfloat16* y) {
  // openai/whisper model.py LayerNorm: torch's default
  const Vec16 epsilon = aie::broadcast<float, 16>(1e-5f);
  const Vec16 per_element = aie::inv(as_float(s.width));
  for (std::size_t row = 0; row < s.rows; ++row, x += s.width, y += s.width) {
    Acc16 sum;
    sum.from_vector(aie::zeros<float, 16>());
    Acc16 squares = sum;
    for (std::size_t i = 0; i < s.width; i += 16) sum = aie::add(sum, load_accum(x + i));
    Acc16 mean;
    mean.from_vector(mean_of(sum, per_element));

    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 centred = aie::sub(load_accum(x + i), mean).template to_vector<float>();
      squares = aie::mac(squares, centred, centred);
    }
    const Vec16 scale = reciprocal_sqrt(aie::add(mean_of(squares, per_element), epsilon));
    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 centred = aie::sub(load_accum(x + i), mean).template to_vector<float>();
      aie::store_v(y + i, aie::mul(centred, scale).template to_vector<bfloat16>());
    }
  }
}

// The largest magnitude of a row in all places, exact. Not inlined: GCC 12 fails on the two loops
// in one function ("internal compiler error: in compute_live_loop_exits").
[[gnu::noinline]] inline Vec16 largest_of(const bfloat16* x, std::size_t width) {
  using Shorts16 = aie::vector<std::int16_t, 16>;
  const Shorts16 magnitude = aie::broadcast<std::int16_t, 16>(0x7fff);
  Shorts16 largest = aie::zeros<std::int16_t, 16>();
  for (std::size_t i = 0; i < width; i += 16) {
    const auto bits = aie::load_v<16>(x + i).template cast_to<std::int16_t>();
    largest = aie::max(largest, aie::bit_and(bits, magnitude));
  }
  const Shorts16 all = aie::broadcast<std::int16_t, 16>(aie::reduce_max(largest));
  Acc16 acc;
  acc.from_vector(all.template cast_to<bfloat16>());
  return acc.template to_vector<float>();
}

// The nearest int8 of each float: its place in a float of 1.5 * 2^23, which has no fraction.
[[gnu::always_inline]] inline aie::vector<std::int8_t, 16> nearest_bytes(const Acc16& steps,
                                                                         const Acc16& whole) {
  const auto bits = aie::add(steps, whole).template to_vector<float>();
  const auto words = aie::filter_even(bits.template cast_to<std::int16_t>());
  return aie::filter_even(words.template cast_to<std::int8_t>());
}

inline void quantise_tile(RowsShape s, const bfloat16* x, std::int8_t* q, float* scale) {
  // 127, symmetric: -128 is not used
  const Vec16 most = aie::broadcast<float, 16>(127.0f);
  const Vec16 of_most = aie::broadcast<float, 16>(0x1.020408p-7f);  // 1 / 127
  const Vec16 none = aie::zeros<float, 16>();
  Acc16 whole;
  whole.from_vector(aie::broadcast<float, 16>(12582912.0f));
  for (std::size_t row = 0; row < s.rows; ++row, x += s.width, q += s.width) {
    const Vec16 largest = largest_of(x, s.width);
    const auto is_any =
        aie::lt(aie::zeros<std::int32_t, 16>(), largest.template cast_to<std::int32_t>());
    const Vec16 to_unit = aie::select(none, aie::inv(largest), is_any);
    scale[row] = product(largest, of_most).get(0);
    for (std::size_t i = 0; i < s.width; i += 16) {
      const Vec16 unit = product(load_accum(x + i).template to_vector<float>(), to_unit);
      aie::store_v(q + i, nearest_bytes(aie::mul(unit, most), whole));
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
