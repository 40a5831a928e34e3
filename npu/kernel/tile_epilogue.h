// Epilogues of a matrix product on a tile: bias, GELU, residual, dequantisation.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

using Vec16 = aie::vector<float, 16>;
using Acc16 = aie::accum<accfloat, 16>;

// The control registers as every kernel wants them, whatever ran before. Sums never overflow 16
// bits, so that saturation, off after reset, may stay off.
inline void set_modes(Rounding rounding) {
  aie::set_saturation(aie::saturation_mode::none);
  aie::set_rounding(rounding == Rounding::nearest_even ? aie::rounding_mode::conv_even
                                                       : aie::rounding_mode::floor);
}

[[gnu::always_inline]] inline Vec16 load_float(const float* from) { return aie::load_v<16>(from); }
template <typename T>
[[gnu::always_inline]] inline Acc16 load_accum(const T* from) {
  Acc16 acc;
  acc.from_vector(aie::load_v<16>(from));
  return acc;
}
template <typename T>
[[gnu::always_inline]] inline void store_accum(T* to, const Acc16& acc) {
  aie::store_v(to, acc.template to_vector<T>());
}
[[gnu::always_inline]] inline void store_float(bfloat16* to, const Vec16& v) {
  Acc16 acc;
  acc.from_vector(v);
  store_accum(to, acc);
}

// GELU(x) = max(x, 0) - r(|x|), r(u) = u * erfc(u / sqrt 2) / 2: even, at most 0.17, and nearly
// zero from 5 on. r by polynomials of degree 5 on four pieces of [0, 5]; coefficients of t^0..t^5
// with t = u - centre, made by fit_gelu.py (Remez). |error| <= 2e-5, and <= 1.6e-5 |x| near zero.
inline constexpr float kGeluCentre[4] = {0.0f, 1.875f, 3.125f, 5.0f};
inline constexpr float kGeluCoefficient[6][4] = {
    {0.0f, 0.0569945122f, 0.00277725259f, 0.0f},
    {0.499984694f, -0.0985917807f, -0.00855223011f, -6.8032085e-5f},
    {-0.398201888f, 0.0520617623f, 0.0117788521f, -0.000399836126f},
    {-0.00580555413f, 0.0106482905f, -0.00912949021f, -0.00103975433f},
    {0.0829283735f, -0.0231990245f, 0.00360787317f, -0.00101091551f},
    {-0.0202611152f, 0.00787649168f, -0.000233591423f, -0.000429256072f},
};

// GELU of `Tiles` vectors at a time. Constants are broadcast where they are used, since 28 of them
// and the bounds do not fit the vector registers; more tiles share a broadcast. Floats from 0 on
// are compared as the integers that their bits are.
template <std::size_t Tiles>
struct Gelu {
  using Ints16 = aie::vector<std::int32_t, 16>;
  struct Piece {
    aie::mask<16> is_after_0, is_after_1, is_after_2;
  };

  // x becomes gelu(x); NaN stays NaN.
  [[gnu::always_inline]] static void apply(Vec16 (&x)[Tiles]) {
    Piece piece[Tiles];
    Vec16 t[Tiles];
    const Ints16 magnitude = aie::broadcast<std::int32_t, 16>(0x7fffffff);
    const Ints16 end = aie::broadcast<std::int32_t, 16>(0x40a00000);      // 5.0
    const Ints16 after_0 = aie::broadcast<std::int32_t, 16>(0x3fa00000);  // 1.25
    const Ints16 after_1 = aie::broadcast<std::int32_t, 16>(0x40200000);  // 2.5
    const Ints16 after_2 = aie::broadcast<std::int32_t, 16>(0x40700000);  // 3.75
#pragma GCC unroll 2
    for (std::size_t i = 0; i < Tiles; ++i) {
      const auto bits = x[i].template cast_to<std::int32_t>();
      const Ints16 u = aie::min(aie::bit_and(bits, magnitude), end);
      piece[i] = {aie::lt(after_0, u), aie::lt(after_1, u), aie::lt(after_2, u)};
      t[i] = u.template cast_to<float>();
    }
    Vec16 centre[Tiles];
    pick(kGeluCentre, piece, centre);
    Vec16 r[Tiles];
    pick(kGeluCoefficient[5], piece, r);
#pragma GCC unroll 2
    for (std::size_t i = 0; i < Tiles; ++i) t[i] = aie::sub(t[i], centre[i]);
    for (std::size_t power = 5; power-- > 0;) {
      Vec16 coefficient[Tiles];
      pick(kGeluCoefficient[power], piece, coefficient);
#pragma GCC unroll 2
      for (std::size_t i = 0; i < Tiles; ++i) {
        Acc16 acc;
        acc.from_vector(coefficient[i]);
        r[i] = aie::mac(acc, t[i], r[i]).template to_vector<float>();
      }
    }
    subtract(r, x);
  }

 private:
  [[gnu::always_inline]] static void pick(const float (&of_piece)[4], const Piece (&piece)[Tiles],
                                          Vec16 (&v)[Tiles]) {
    const Vec16 c[4] = {
        aie::broadcast<float, 16>(of_piece[0]), aie::broadcast<float, 16>(of_piece[1]),
        aie::broadcast<float, 16>(of_piece[2]), aie::broadcast<float, 16>(of_piece[3])};
#pragma GCC unroll 2
    for (std::size_t i = 0; i < Tiles; ++i) {
      v[i] = aie::select(c[0], c[1], piece[i].is_after_0);
      v[i] = aie::select(v[i], c[2], piece[i].is_after_1);
      v[i] = aie::select(v[i], c[3], piece[i].is_after_2);
    }
  }
  // x = max(x, 0) - r
  [[gnu::always_inline]] static void subtract(const Vec16 (&r)[Tiles], Vec16 (&x)[Tiles]) {
    const Ints16 zero = aie::zeros<std::int32_t, 16>();
    const Ints16 magnitude = aie::broadcast<std::int32_t, 16>(0x7fffffff);
    const Ints16 infinity = aie::broadcast<std::int32_t, 16>(0x7f800000);
#pragma GCC unroll 2
    for (std::size_t i = 0; i < Tiles; ++i) {
      const auto bits = x[i].template cast_to<std::int32_t>();
      const auto is_nan = aie::lt(infinity, aie::bit_and(bits, magnitude));
      const Vec16 positive = aie::max(bits, zero).template cast_to<float>();
      x[i] = aie::select(aie::sub(positive, r[i]), x[i], is_nan);
    }
  }
};

// The bias of a column of tiles, repeated on four rows.
[[gnu::always_inline]] inline Acc16 column_bias(const float* bias, std::size_t tile) {
  const auto columns = aie::load_v<4>(bias + tile * 4);
  const auto two_rows = aie::concat(columns, columns);
  Acc16 acc;
  acc.from_vector(aie::concat(two_rows, two_rows));
  return acc;
}

// Calls f(offset of a 4x4 tile, bias of its columns repeated on its four rows).
template <typename F>
[[gnu::always_inline]] inline void for_each_tile(TileShape s, const float* bias, F f) {
  const std::size_t n_tiles = s.n / 4;
  for (std::size_t j = 0; j < n_tiles; ++j) {
    const Acc16 b = column_bias(bias, j);
    for (std::size_t i = 0; i < s.m / 4; ++i) f((i * n_tiles + j) * 16, b);
  }
}

inline void bias_tile(TileShape s, const float* c, const float* bias, bfloat16* y) {
  for_each_tile(s, bias, [=](std::size_t at, const Acc16& b) {
    store_accum(y + at, aie::add(load_accum(c + at), b));
  });
}

[[gnu::always_inline]] inline Vec16 biased(const float* c, const Acc16& bias) {
  return aie::add(load_accum(c), bias).template to_vector<float>();
}

inline void bias_gelu_tile(TileShape s, const float* c, const float* bias, bfloat16* y) {
  const std::size_t n_tiles = s.n / 4;
  for (std::size_t j = 0; j < n_tiles; ++j) {
    const Acc16 b = column_bias(bias, j);
    std::size_t at = j * 16;
    std::size_t left = s.m / 4;
    for (; left >= 2; left -= 2, at += 2 * n_tiles * 16) {
      Vec16 x[2] = {biased(c + at, b), biased(c + at + n_tiles * 16, b)};
      Gelu<2>::apply(x);
      store_float(y + at, x[0]);
      store_float(y + at + n_tiles * 16, x[1]);
    }
    if (left == 0) continue;
    Vec16 x[1] = {biased(c + at, b)};
    Gelu<1>::apply(x);
    store_float(y + at, x[0]);
  }
}

inline void bias_residual_tile(TileShape s, const float* c, const float* bias, bfloat16* x) {
  for_each_tile(s, bias, [=](std::size_t at, const Acc16& b) {
    store_accum(x + at, aie::add(aie::add(load_accum(c + at), b), load_accum(x + at)));
  });
}

[[gnu::always_inline]] inline Vec16 rescaled(const float* values, const Vec16& factor) {
  return aie::mul(aie::load_v<16>(values), factor).template to_vector<float>();
}

// Two rows of a 4x8 tile, with their part of the scales.
[[gnu::always_inline]] inline void dequantise_rows(const aie::vector<std::int32_t, 16>& rows,
                                                   const Vec16& row_scale,
                                                   const Vec16& column_scale, float* y) {
  const Vec16 scale = aie::mul(row_scale, column_scale).template to_vector<float>();
  const Vec16 values = aie::mul(aie::to_float(rows), scale).template to_vector<float>();
  aie::store_v(y, values.template extract<4>(0));
  aie::store_v(y + 16, values.template extract<4>(1));
  aie::store_v(y + 4, values.template extract<4>(2));
  aie::store_v(y + 20, values.template extract<4>(3));
}

// A 4x8 tile of int32 becomes the two 4x4 tiles of float in the same place.
inline void dequantise_tile(TileShape s, const std::int32_t* c, const float* row_scale,
                            const float* column_scale, float* y) {
  const std::size_t n_tiles = s.n / 8;
  for (std::size_t i = 0; i < s.m / 4; ++i) {
    const float* row = row_scale + i * 4;
    const Vec16 upper =
        aie::concat(aie::broadcast<float, 8>(row[0]), aie::broadcast<float, 8>(row[1]));
    const Vec16 lower =
        aie::concat(aie::broadcast<float, 8>(row[2]), aie::broadcast<float, 8>(row[3]));
    for (std::size_t j = 0; j < n_tiles; ++j) {
      const auto columns = aie::load_v<8>(column_scale + j * 8);
      const Vec16 twice = aie::concat(columns, columns);
      const std::size_t at = (i * n_tiles + j) * 32;
      const auto tile = aie::load_v<32>(c + at);
      dequantise_rows(tile.template extract<16>(0), upper, twice, y + at);
      dequantise_rows(tile.template extract<16>(1), lower, twice, y + at + 8);
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
