// Flash attention on a tile: scores of 8 queries against one block of keys, weights by two table
// look-ups, and the weighted sum of the values, with running maximum and sums in float.
//
// The running maximum is rounded up to an integer. As weights are powers of two, scaling the old
// sums by 2^(old - new) is then exact, and the weights lose nothing: bf16 has the same relative
// precision just below 1/2 as just below 1.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/exp2_tables.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_gemm.h"
#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

inline constexpr std::size_t kStripRows = 8;
inline constexpr float kLeastExponent = -126.0f;  // 2^-126 is the smallest bfloat16

// Work space for 8 queries: 3.1 KB of a core's data memory.
struct AttentionStrip {
  alignas(32) float scores[kStripRows * kMaxKeys];      // row-major [8, keys]
  alignas(32) bfloat16 weights[kStripRows * kMaxKeys];  // 4x8 tiles [2][keys/8][4][8]
  alignas(32) float rescale[kStripRows * 4];            // a row's factor four times: [2][4][4]
};

// 2^x for -126 <= x <= 0, x rounded to 1/256.
[[gnu::always_inline]] inline aie::vector<bfloat16, 16> exp2_lookup(const Vec16& x) {
  using Lut = aie::lut<4, bfloat16>;
  const aie::parallel_lookup<std::uint16_t, Lut> whole(
      Lut(256, kExp2OfWhole.data(), kExp2OfWhole.data()), 8);
  const aie::parallel_lookup<std::uint16_t, Lut> fraction(
      Lut(256, kExp2OfFraction.data(), kExp2OfFraction.data()), 0);
  const auto index = aie::to_fixed<std::uint16_t>(x, 8);
  return aie::mul(whole.fetch(index), fraction.fetch(index)).template to_vector<bfloat16>();
}

// An integer in [x, x + 1]; |x| < 2^21.
[[gnu::always_inline]] inline float round_up(float x) {
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23
  return (x + 0.5f + kMagic) - kMagic;
}

// 2^n for an integer n <= 0; the smallest bfloat16 when n is below its exponent.
[[gnu::always_inline]] inline float exp2_of_integer(float n) {
  const int exponent = static_cast<int>(n < kLeastExponent ? kLeastExponent : n) + 127;
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent) << 23);
}

struct AttentionTile {
  std::size_t keys;
  std::size_t head;
  AttentionOperands in;

  // scores[8, keys] = q[8, head] k^T
  void scores(const bfloat16* q, AttentionStrip& strip) const {
    const std::size_t head_tiles = head / 8;
    for (std::size_t j = 0; j < keys / 4; j += 2) {
      const bfloat16* k = in.k + j * head_tiles * 32;
      MmulBf16 c00, c01, c10, c11;
      for (std::size_t h = 0; h < head_tiles; ++h) {
        const auto q_0 = aie::load_v<32>(q + h * 32);
        const auto q_1 = aie::load_v<32>(q + (head_tiles + h) * 32);
        const auto k_0 = aie::transpose(aie::load_v<32>(k + h * 32), 4, 8);
        const auto k_1 = aie::transpose(aie::load_v<32>(k + (head_tiles + h) * 32), 4, 8);
        c00.mac(q_0, k_0);
        c01.mac(q_0, k_1);
        c10.mac(q_1, k_0);
        c11.mac(q_1, k_1);
      }
      float* to = strip.scores + j * 4;
      store_rows(c00, to);
      store_rows(c01, to + 4);
      store_rows(c10, to + 4 * keys);
      store_rows(c11, to + 4 * keys + 4);
    }
  }

  [[gnu::always_inline]] void store_rows(const MmulBf16& c, float* to) const {
    const Vec16 tile = c.template to_vector<float>();
    aie::store_v(to, tile.template extract<4>(0));
    aie::store_v(to + keys, tile.template extract<4>(1));
    aie::store_v(to + 2 * keys, tile.template extract<4>(2));
    aie::store_v(to + 3 * keys, tile.template extract<4>(3));
  }

  // Scores become weights; the running maximum and sum of row `row` of the strip move on.
  void weigh(std::size_t row, AttentionStrip& strip, float& max, float& sum) const {
    constexpr float kLimit = 2097152.0f;  // 2^21: scores saturate, far beyond any real one
    float* scores = strip.scores + row * keys;
    for (std::size_t key = in.valid; key < keys; ++key) scores[key] = -kLimit;
    Vec16 largest = aie::broadcast<float, 16>(-kLimit);
    for (std::size_t i = 0; i < keys; i += 16) {
      largest = aie::max(largest, aie::load_v<16>(scores + i));
    }
    const float block_max = aie::reduce_max(largest);
    const float rounded = block_max < kLimit ? round_up(block_max) : kLimit;
    const float new_max = max < rounded ? rounded : max;

    const Vec16 subtract = aie::broadcast<float, 16>(new_max);
    const Vec16 least = aie::broadcast<float, 16>(kLeastExponent);
    bfloat16* weights = strip.weights + (row / 4) * keys * 4 + (row % 4) * 8;
    Vec16 block_sum = aie::zeros<float, 16>();
    for (std::size_t i = 0; i < keys; i += 16) {
      const Vec16 below_max = aie::sub(aie::load_v<16>(scores + i), subtract);
      const Vec16 exponent = aie::min(aie::max(below_max, least), aie::zeros<float, 16>());
      auto weight = exp2_lookup(exponent);
      for (std::size_t key = in.valid; key < i + 16; ++key) {
        if (key >= i) weight.set(bfloat16{}, static_cast<unsigned>(key - i));
      }
      aie::store_v(weights + i * 4, weight.template extract<8>(0));
      aie::store_v(weights + i * 4 + 32, weight.template extract<8>(1));
      Acc16 as_float;
      as_float.from_vector(weight);
      block_sum = aie::add(block_sum, as_float.template to_vector<float>());
    }
    const float rescale = exp2_of_integer(max - new_max);
    aie::store_v(strip.rescale + row * 4, aie::broadcast<float, 4>(rescale));
    sum = sum * rescale + aie::reduce_add(block_sum);
    max = new_max;
  }

  // acc[8, head] = acc * rescale + weights[8, keys] v
  void accumulate(const AttentionStrip& strip, float* acc) const {
    const std::size_t head_tiles = head / 4;
    const Vec16 rescale_0 = aie::load_v<16>(strip.rescale);
    const Vec16 rescale_1 = aie::load_v<16>(strip.rescale + 16);
    for (std::size_t j = 0; j < head_tiles; j += 2) {
      float* c0 = acc + j * 16;
      float* c1 = acc + (head_tiles + j) * 16;
      MmulBf16 c00(rescaled(c0, rescale_0)), c01(rescaled(c0 + 16, rescale_0));
      MmulBf16 c10(rescaled(c1, rescale_1)), c11(rescaled(c1 + 16, rescale_1));
      for (std::size_t k = 0; k < keys / 8; ++k) {
        const auto p_0 = aie::load_v<32>(strip.weights + k * 32);
        const auto p_1 = aie::load_v<32>(strip.weights + keys * 4 + k * 32);
        const auto v_0 = aie::load_v<32>(in.v + (k * head_tiles + j) * 32);
        const auto v_1 = aie::load_v<32>(in.v + (k * head_tiles + j + 1) * 32);
        c00.mac(p_0, v_0);
        c01.mac(p_0, v_1);
        c10.mac(p_1, v_0);
        c11.mac(p_1, v_1);
      }
      aie::store_v(c0, c00.template to_vector<float>());
      aie::store_v(c0 + 16, c01.template to_vector<float>());
      aie::store_v(c1, c10.template to_vector<float>());
      aie::store_v(c1 + 16, c11.template to_vector<float>());
    }
  }

  [[gnu::always_inline]] static Vec16 rescaled(const float* acc, const Vec16& factor) {
    return aie::mul(aie::load_v<16>(acc), factor).template to_vector<float>();
  }
};

inline void attention_step_tile(AttentionShape s, AttentionOperands in, AttentionSums sums) {
  const AttentionTile tile{s.keys, s.head, in};
  AttentionStrip strip;
  for (std::size_t row = 0; row < s.queries; row += kStripRows) {
    tile.scores(in.q + row * s.head, strip);
    for (std::size_t i = 0; i < kStripRows; ++i) {
      tile.weigh(i, strip, sums.max[row + i], sums.sum[row + i]);
    }
    tile.accumulate(strip, sums.acc + row * s.head);
  }
}

inline void attention_finish_tile(AttentionShape s, AttentionSums sums, bfloat16* y) {
  for (std::size_t row = 0; row < s.queries; row += 4) {
    float inverse[16];
    for (std::size_t i = 0; i < 4; ++i) {
      const float sum = sums.sum[row + i];
      aie::store_v(inverse + i * 4, aie::broadcast<float, 4>(sum > 0.0f ? aie::inv(sum) : 0.0f));
    }
    const Vec16 factor = aie::load_v<16>(inverse);
    for (std::size_t at = row * s.head; at < (row + 4) * s.head; at += 16) {
      store_float(y + at, AttentionTile::rescaled(sums.acc + at, factor));
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
