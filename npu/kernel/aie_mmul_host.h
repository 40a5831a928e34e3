// aie::mmul on x86: the matrix instruction of the array, 4x8 by 8x4 in bf16 and 4x8 by 8x8 in int8.
//
// bf16: the array aligns the 8 products and the old accumulator to the largest of the nine, keeps
// 23 fractional bits of each (cutting off the rest) and adds them in one go (AMD AM020 chapter 4).
// Here the products, exact in float, are added as ((0+1)+(2+3))+((4+5)+(6+7)) and then to the
// accumulator, every addition rounded to nearest even. The two differ by less than
// 36 * 2^-23 * (largest magnitude of the nine terms); tests/npu/kernel_gemm_test.cpp holds that.
#pragma once

#include "npu/kernel/aie_accum_host.h"

// NOLINTBEGIN(readability-identifier-naming)
namespace aie {
inline namespace WNPU_TILE_TARGET {

template <unsigned M, unsigned K, unsigned N, typename A, typename B = A, typename Acc = accfloat>
class mmul;

template <>
class mmul<4, 8, 4, bfloat16, bfloat16, accfloat> {
 public:
  static constexpr unsigned size_A = 32;
  static constexpr unsigned size_B = 32;
  static constexpr unsigned size_C = 16;

  [[gnu::always_inline]] mmul() : acc_{} {}
  [[gnu::always_inline]] explicit mmul(const vector<float, size_C>& c) { acc_.from_vector(c); }
  [[gnu::always_inline]] explicit mmul(const accum<accfloat, size_C>& c) : acc_(c) {}

  [[gnu::always_inline]] void mac(const vector<bfloat16, size_A>& a,
                                  const vector<bfloat16, size_B>& b) {
    using namespace host;
    count(&OpCounts::mac);
    const U16 zero{};
    F32 row[8];  // b's rows, each repeated in all 128-bit parts
#pragma GCC unroll 4
    for (std::size_t i = 0; i < vector<bfloat16, size_B>::kParts; ++i) {
      const auto low = (F32)interleave_low(zero, b.part[i]);
      const auto high = (F32)interleave_high(zero, b.part[i]);
      F32* to = &row[i * 2 * kQuads];
      to[0] = repeat_quad<0>(low);
      to[1] = repeat_quad<0>(high);
      if constexpr (kQuads == 2) {
        to[2] = repeat_quad<1>(low);
        to[3] = repeat_quad<1>(high);
      }
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < vector<float, size_C>::kParts; ++i) {
      const auto low = (F32)interleave_low(zero, a.part[i]);    // elements 0-3 of kQuads rows
      const auto high = (F32)interleave_high(zero, a.part[i]);  // elements 4-7
      const F32 s01 = splat_in_quads<0>(low) * row[0] + splat_in_quads<1>(low) * row[1];
      const F32 s23 = splat_in_quads<2>(low) * row[2] + splat_in_quads<3>(low) * row[3];
      const F32 s45 = splat_in_quads<0>(high) * row[4] + splat_in_quads<1>(high) * row[5];
      const F32 s67 = splat_in_quads<2>(high) * row[6] + splat_in_quads<3>(high) * row[7];
      acc_.value.part[i] += (s01 + s23) + (s45 + s67);
    }
  }

  [[gnu::always_inline]] accum<accfloat, size_C> to_accum() const { return acc_; }
  template <typename T>
  [[gnu::always_inline]] vector<T, size_C> to_vector() const {
    return acc_.template to_vector<T>();
  }

 private:
  accum<accfloat, size_C> acc_;
};

template <>
class mmul<4, 8, 8, std::int8_t, std::int8_t, acc32> {
 public:
  static constexpr unsigned size_A = 32;
  static constexpr unsigned size_B = 64;
  static constexpr unsigned size_C = 32;

  [[gnu::always_inline]] mmul() : acc_{} {}
  [[gnu::always_inline]] explicit mmul(const vector<std::int32_t, size_C>& c) : acc_(c) {
    host::count_shuffle<std::int32_t, size_C>();
  }

  [[gnu::always_inline]] void mac(const vector<std::int8_t, size_A>& a,
                                  const vector<std::int8_t, size_B>& b) {
    using namespace host;
    count(&OpCounts::mac);
    constexpr unsigned kParts = 2 / kQuads;  // registers a row of 8 int32
    I16 pair[4][kParts];                     // rows 2p and 2p+1 of b, interleaved
#pragma GCC unroll 4
    for (unsigned p = 0; p < 4; ++p) widen_pairs(b, p, pair[p]);
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) {
      const I32 row = widen_row(a, r);
#pragma GCC unroll 2
      for (unsigned i = 0; i < kParts; ++i) {
        acc_.part[r * kParts + i] += (multiply_add_pairs((I16)splat_in_quads<0>(row), pair[0][i]) +
                                      multiply_add_pairs((I16)splat_in_quads<1>(row), pair[1][i])) +
                                     (multiply_add_pairs((I16)splat_in_quads<2>(row), pair[2][i]) +
                                      multiply_add_pairs((I16)splat_in_quads<3>(row), pair[3][i]));
      }
    }
  }

  template <typename T>
  [[gnu::always_inline]] vector<std::int32_t, size_C> to_vector() const {
    host::count_shuffle<std::int32_t, size_C>();
    return acc_;
  }

 private:
  // The 8 elements of row r of a as 4 pairs of 16 bits, in every 128-bit part.
  [[gnu::always_inline]] static host::I32 widen_row(const vector<std::int8_t, size_A>& a,
                                                    unsigned r) {
    const auto row = host::part_of<host::Register<std::int8_t, 8>>(a.part, r);
    host::I16 words[2 / host::kQuads];
    host::widen_bytes(
        __builtin_shufflevector(row, row, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7), words);
    return (host::I32)words[0];
  }

  // Rows 2p and 2p + 1 of b, element beside element, as 16 bits.
  [[gnu::always_inline]] static void widen_pairs(const vector<std::int8_t, size_B>& b, unsigned p,
                                                 host::I16* to) {
    const auto rows = host::part_of<host::Bytes16>(b.part, p);
    host::widen_bytes(
        __builtin_shufflevector(rows, rows, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15),
        to);
  }

  vector<std::int32_t, size_C> acc_;
};

}  // namespace WNPU_TILE_TARGET
}  // namespace aie
// NOLINTEND(readability-identifier-naming)
