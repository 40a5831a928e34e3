// Flash attention on a tile: scores of 8 queries against one block of keys, their weights by Exp2,
// and the weighted sum of the values, with sums in float and no scalar float anywhere.
//
// A row's weights are 2^(score - reference) with an integer reference that the matrix unit takes
// off: its accumulators start at -reference. The reference follows a row's largest score lazily: it
// is raised, and what was summed scaled down, only when a score passes it by 2^kHeadroom. As
// weights are powers of two, that scaling is exact, and bf16 weights lose nothing by being large.
//
// Statistics are tiles of four rows, [4][4], a row's value four times: the layout in which scores
// leave the matrix unit and sums go into it. The sum of a row's weights is their product with ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_exp2.h"
#include "npu/kernel/tile_gemm.h"
#include "npu/kernel/tile_moves.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

inline constexpr std::int32_t kHeadroom = 8;           // log2 of the largest weight
inline constexpr float kScoreLimit = 2097152.0f;       // 2^21: scores saturate
inline constexpr float kNoReference = -2097152.0f;     // below every score that a step lets pass
inline constexpr std::int32_t kInfinity = 0x7f800000;  // bits of a float

// The scores of 8 queries and 16 keys as bits of 1.5 * 2^14 + (score - reference).
struct ScoreTiles {
  Ints16 tile[2][4];  // rows 0-3 and 4-7; four keys each
};

class AttentionStrip {
 public:
  AttentionStrip(AttentionShape s, AttentionOperands in, AttentionSums sums, std::size_t row)
      : shape_(s),
        in_(in),
        q_(in.q + row * s.head),
        reference_(sums.reference + row * 4),
        sum_(sums.sum + row * 4),
        acc_(sums.acc + row * s.head),
        weights_(sums.weights),
        lowest_(aie::broadcast<std::int32_t, 16>(kFixedLowest)),
        magnitude_(aie::broadcast<std::int32_t, 16>(0x7fffffff)),
        ones_(aie::broadcast<bfloat16, 32>(kOne)) {
    fixed_zero_.from_vector(aie::broadcast<float, 16>(24576.0f));
  }

  void run(const Exp2& exp2) {
    MmulBf16 sum[2] = {MmulBf16(load_float(sum_)), MmulBf16(load_float(sum_ + 16))};
    if (!weigh(exp2, sum)) {
      raise(exp2);
      sum[0] = MmulBf16(load_float(sum_));
      sum[1] = MmulBf16(load_float(sum_ + 16));
      (void)weigh(exp2, sum);
    }
    aie::store_v(sum_, sum[0].template to_vector<float>());
    aie::store_v(sum_ + 16, sum[1].template to_vector<float>());
    const Gemm<MmulBf16, bfloat16, float> gemm{shape_.keys / 8, shape_.head / 4};
    gemm.template run<2, 4>(2, weights_, in_.v, acc_);
  }

 private:
#if defined(__AIEARCH__)
  static constexpr bfloat16 kOne = 1.0f;
#else
  static constexpr bfloat16 kOne = to_bfloat16(1.0f);
#endif

  [[gnu::always_inline]] static Vec16 negated(const float* reference) {
    return aie::sub(aie::zeros<float, 16>(), load_float(reference));
  }

  // The four tiles of keys from key tile `first` on; what is padding is lowest.
  [[gnu::always_inline]] ScoreTiles scores(std::size_t first, const Vec16& start_0,
                                           const Vec16& start_1) const {
    const std::size_t head_tiles = shape_.head / 8;
    MmulBf16 c[2][4];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) {
      c[0][j] = MmulBf16(start_0);
      c[1][j] = MmulBf16(start_1);
    }
    for (std::size_t h = 0; h < head_tiles; ++h) {
      const auto q_0 = aie::load_v<32>(q_ + h * 32);
      const auto q_1 = aie::load_v<32>(q_ + (head_tiles + h) * 32);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < 4; ++j) {
        const bfloat16* k = in_.k + ((first + j) * head_tiles + h) * 32;
        const auto k_j = aie::transpose(aie::load_v<32>(k), 4, 8);
        c[0][j].mac(q_0, k_j);
        c[1][j].mac(q_1, k_j);
      }
    }
    ScoreTiles result;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) {
      result.tile[0][j] = fixed(c[0][j]);
      result.tile[1][j] = fixed(c[1][j]);
    }
    if ((first + 4) * 4 > in_.valid) mask_padding(first, result);
    return result;
  }
  [[gnu::always_inline]] Ints16 fixed(const MmulBf16& c) const {
    return aie::add(c.to_accum(), fixed_zero_)
        .template to_vector<float>()
        .template cast_to<std::int32_t>();
  }

  [[gnu::always_inline]] static Ints16 limit() {
    return aie::broadcast<std::int32_t, 16>(kFixedZero + kHeadroom * kFixedOne);
  }

  // The columns of key tile `tile` that hold keys.
  [[gnu::always_inline]] aie::mask<16> keys_of(std::size_t tile) const {
    const std::size_t n = in_.valid > tile * 4 ? in_.valid - tile * 4 : 0;
    const std::uint32_t columns = n >= 4 ? 0xfu : (1u << n) - 1u;
    return aie::mask<16>::from_uint32(columns * 0x1111u);
  }
  void mask_padding(std::size_t first, ScoreTiles& scores) const {
    for (std::size_t j = 0; j < 4; ++j) {
      const aie::mask<16> keys = keys_of(first + j);
      scores.tile[0][j] = aie::select(lowest_, scores.tile[0][j], keys);
      scores.tile[1][j] = aie::select(lowest_, scores.tile[1][j], keys);
    }
  }

  // Weights of all keys, added to `sum`; false where a score is not finite or passes the reference
  // by too much, and the weights mean nothing.
  [[gnu::always_inline]] bool weigh(const Exp2& exp2, MmulBf16 (&sum)[2]) const {
    const Vec16 start_0 = negated(reference_);
    const Vec16 start_1 = negated(reference_ + 16);
    Ints16 peak = lowest_;
    for (std::size_t first = 0; first < shape_.keys / 4; first += 4) {
      const ScoreTiles t = scores(first, start_0, start_1);
      bfloat16* weights = weights_ + first * 16;
      weigh_rows(exp2, t.tile[0], first, weights, sum[0]);
      weigh_rows(exp2, t.tile[1], first, weights + shape_.keys * 4, sum[1]);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < 4; ++j) {
        peak = aie::max(peak, aie::bit_and(t.tile[0][j], magnitude_));
        peak = aie::max(peak, aie::bit_and(t.tile[1][j], magnitude_));
      }
    }
    return aie::lt(limit(), peak).empty();
  }

  // Weights of four rows to the 16 keys from key tile `first` on, and their sums.
  [[gnu::always_inline]] void weigh_rows(const Exp2& exp2, const Ints16 (&t)[4], std::size_t first,
                                         bfloat16* weights, MmulBf16& sum) const {
#pragma GCC unroll 2
    for (std::size_t j = 0; j < 4; j += 2) {
      const auto tile = left_operand(exp2.of(t[j], t[j + 1]), first + j);
      aie::store_v(weights + j * 16, tile);
      sum.mac(tile, ones_);
    }
  }

  // Two 4x4 tiles as one of 4x8.
  [[gnu::always_inline]] aie::vector<bfloat16, 32> left_operand(
      const aie::vector<bfloat16, 32>& both, std::size_t key_tile) const {
    auto low = both.template extract<16>(0);
    auto high = both.template extract<16>(1);
    if ((key_tile + 2) * 4 > in_.valid) {
      const auto none = aie::zeros<bfloat16, 16>();
      low = aie::select(none, low, keys_of(key_tile));
      high = aie::select(none, high, keys_of(key_tile + 1));
    }
    const auto [upper, lower] = aie::interleave_zip(low, high, 4);
    return aie::concat(upper, lower);
  }

  // ---- seldom: a score has passed the reference

  // A row's largest element in all of its places.
  static Ints16 row_max(const Ints16& tile) {
    const Ints16 columns = aie::transpose(tile, 4, 4);
    const auto two = aie::max(columns.template extract<8>(0), columns.template extract<8>(1));
    const auto one = aie::max(two.template extract<4>(0), two.template extract<4>(1));
    const auto twice = aie::concat(one, one);
    return aie::transpose(aie::concat(twice, twice), 4, 4);
  }

  // Peaks of four rows: the largest scores, and the largest magnitude of their bits, which finds
  // NaN.
  struct Peaks {
    Ints16 largest, magnitude;
  };
  void look_at(const Ints16 (&t)[4], Peaks& peaks) const {
    for (const Ints16& tile : t) {
      peaks.largest = aie::max(peaks.largest, tile);
      peaks.magnitude = aie::max(peaks.magnitude, aie::bit_and(tile, magnitude_));
    }
  }

  // Raises the references of rows to their largest score of this block, rounded up, and scales
  // their sums down. A row with NaN or positive infinity gets a sum of NaN, hence a result of NaN.
  void raise(const Exp2& exp2) {
    const Vec16 start_0 = negated(reference_);
    const Vec16 start_1 = negated(reference_ + 16);
    Peaks peaks[2] = {{lowest_, lowest_}, {lowest_, lowest_}};
    for (std::size_t first = 0; first < shape_.keys / 4; first += 4) {
      const ScoreTiles t = scores(first, start_0, start_1);
      look_at(t.tile[0], peaks[0]);
      look_at(t.tile[1], peaks[1]);
    }
    const Vec16 nan = aie::broadcast<std::int32_t, 16>(0x7fc00000).template cast_to<float>();
    for (std::size_t i = 0; i < 2; ++i) {
      const Ints16 top = row_max(peaks[i].largest);
      const aie::mask<16> is_lost =
          aie::lt(aie::broadcast<std::int32_t, 16>(kInfinity - 1), top) |
          aie::lt(aie::broadcast<std::int32_t, 16>(kInfinity), row_max(peaks[i].magnitude));
      scale_down(exp2, i, raise_by(i, top));  // of the others by 0: rows stay independent
      aie::store_v(sum_ + i * 16, aie::select(load_float(sum_ + i * 16), nan, is_lost));
    }
  }

  // Raises the references of those of four rows that pass it; how much: whole numbers from 0 on.
  Vec16 raise_by(std::size_t i, const Ints16& top) {
    constexpr float kWhole = 12582912.0f;  // 1.5 * 2^23: floats of it have no fraction
    const Vec16 above =
        aie::sub(top.template cast_to<float>(), aie::broadcast<float, 16>(24576.0f));
    const Vec16 whole = aie::broadcast<float, 16>(kWhole);
    const Vec16 half = aie::broadcast<float, 16>(0.5f);
    const Vec16 up = aie::sub(aie::add(aie::add(above, half), whole), whole);
    const Vec16 reference = load_float(reference_ + i * 16);
    const Vec16 most = aie::sub(aie::broadcast<float, 16>(kScoreLimit), reference);
    // Positive floats are ordered as their bits are; negative ones are negative.
    const Ints16 none = aie::zeros<std::int32_t, 16>();
    const Ints16 raised = aie::min(aie::max(up.template cast_to<std::int32_t>(), none),
                                   most.template cast_to<std::int32_t>());
    const Ints16 by = aie::select(none, raised, aie::lt(limit(), top));
    aie::store_v(reference_ + i * 16, aie::add(reference, by.template cast_to<float>()));
    return by.template cast_to<float>();
  }

  void scale_down(const Exp2& exp2, std::size_t i, const Vec16& by) {
    const Vec16 exponent = aie::sub(aie::broadcast<float, 16>(24576.0f), by);
    const Ints16 bits = exponent.template cast_to<std::int32_t>();
    Acc16 factor;
    factor.from_vector(exp2.of(bits, bits).template extract<16>(0));
    const Vec16 scale = factor.template to_vector<float>();
    aie::store_v(sum_ + i * 16, rescaled(sum_ + i * 16, scale));
    float* acc = acc_ + i * 4 * shape_.head;
    for (std::size_t at = 0; at < 4 * shape_.head; at += 16) {
      aie::store_v(acc + at, rescaled(acc + at, scale));
    }
  }

  AttentionShape shape_;
  AttentionOperands in_;
  const bfloat16* q_;
  float* reference_;
  float* sum_;
  float* acc_;
  bfloat16* weights_;
  Ints16 lowest_, magnitude_;
  aie::vector<bfloat16, 32> ones_;
  Acc16 fixed_zero_;
};

inline void attention_start_tile(AttentionShape s, AttentionSums sums) {
  fill_tile(s.queries * 4, kNoReference, sums.reference);
  fill_tile(s.queries * 4, 0.0f, sums.sum);
  fill_tile(s.queries * s.head, 0.0f, sums.acc);
}

inline void attention_step_tile(AttentionShape s, AttentionOperands in, AttentionSums sums) {
  const Exp2 exp2;
  for (std::size_t row = 0; row < s.queries; row += kStripRows) {
    AttentionStrip(s, in, sums, row).run(exp2);
  }
}

inline void attention_finish_tile(AttentionShape s, AttentionSums sums, bfloat16* y) {
  const Vec16 none = aie::zeros<float, 16>();
  for (std::size_t row = 0; row < s.queries; row += 4) {
    const Vec16 sum = load_float(sums.sum + row * 4);
    const auto is_any =
        aie::lt(aie::zeros<std::int32_t, 16>(), sum.template cast_to<std::int32_t>());
    const Vec16 factor = aie::select(none, aie::inv(sum), is_any);
    for (std::size_t at = row * s.head; at < (row + 4) * s.head; at += 16) {
      store_float(y + at, rescaled(sums.acc + at, factor));
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
