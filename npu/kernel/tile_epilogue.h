// What follows a matrix product on a tile: bias, GELU, residual, dequantisation.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/kernels.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

using Vec16 = aie::vector<float, 16>;
using Acc16 = aie::accum<accfloat, 16>;

inline void set_store_rounding(Rounding rounding) {
  aie::set_rounding(rounding == Rounding::nearest_even ? aie::rounding_mode::conv_even
                                                       : aie::rounding_mode::floor);
}

[[gnu::always_inline]] inline Vec16 load_float(const float* from) { return aie::load_v<16>(from); }
[[gnu::always_inline]] inline Vec16 load_float(const bfloat16* from) {
  Acc16 acc;
  acc.from_vector(aie::load_v<16>(from));
  return acc.template to_vector<float>();
}
[[gnu::always_inline]] inline void store_float(float* to, const Vec16& v) { aie::store_v(to, v); }
[[gnu::always_inline]] inline void store_float(bfloat16* to, const Vec16& v) {
  Acc16 acc;
  acc.from_vector(v);
  aie::store_v(to, acc.template to_vector<bfloat16>());
}

// GELU(x) = max(x, 0) - r(|x|), r(u) = u * erfc(u / sqrt 2) / 2: even, at most 0.17, and nearly
// zero from 5 on. r by polynomials of degree 5 on four pieces of [0, 5]; coefficients of t^0..t^5
// with t = u - centre, made by fit_gelu.py (Remez). |error| <= 2e-5, and <= 1.6e-5 |x| near zero.
inline constexpr float kGeluPiece = 1.25f;  // width of a piece
inline constexpr float kGeluEnd = 5.0f;
inline constexpr float kGeluCentre[4] = {0.0f, 1.875f, 3.125f, 5.0f};
inline constexpr float kGeluCoefficient[6][4] = {
    {0.0f, 0.0569945122f, 0.00277725259f, 0.0f},
    {0.499984694f, -0.0985917807f, -0.00855223011f, -6.8032085e-5f},
    {-0.398201888f, 0.0520617623f, 0.0117788521f, -0.000399836126f},
    {-0.00580555413f, 0.0106482905f, -0.00912949021f, -0.00103975433f},
    {0.0829283735f, -0.0231990245f, 0.00360787317f, -0.00101091551f},
    {-0.0202611152f, 0.00787649168f, -0.000233591423f, -0.000429256072f},
};

struct GeluPiece {
  aie::mask<16> is_after_0, is_after_1, is_after_2;

  [[gnu::always_inline]] explicit GeluPiece(const Vec16& u)
      : is_after_0(aie::lt(aie::broadcast<float, 16>(kGeluPiece), u)),
        is_after_1(aie::lt(aie::broadcast<float, 16>(2 * kGeluPiece), u)),
        is_after_2(aie::lt(aie::broadcast<float, 16>(3 * kGeluPiece), u)) {}

  [[gnu::always_inline]] Vec16 pick(const float (&of_piece)[4]) const {
    Vec16 v = aie::broadcast<float, 16>(of_piece[0]);
    v = aie::select(v, aie::broadcast<float, 16>(of_piece[1]), is_after_0);
    v = aie::select(v, aie::broadcast<float, 16>(of_piece[2]), is_after_1);
    return aie::select(v, aie::broadcast<float, 16>(of_piece[3]), is_after_2);
  }
};

[[gnu::always_inline]] inline Vec16 gelu(const Vec16& x) {
  const Vec16 u = aie::min(aie::abs(x), aie::broadcast<float, 16>(kGeluEnd));
  const GeluPiece piece(u);
  const Vec16 t = aie::sub(u, piece.pick(kGeluCentre));
  Vec16 r = piece.pick(kGeluCoefficient[5]);
  for (int degree = 4; degree >= 0; --degree) {
    Acc16 acc;
    acc.from_vector(piece.pick(kGeluCoefficient[degree]));
    r = aie::mac(acc, t, r).template to_vector<float>();
  }
  return aie::sub(aie::max(x, aie::zeros<float, 16>()), r);
}

// Calls f(offset of a 4x4 tile, bias of its columns repeated on its four rows).
template <typename F>
[[gnu::always_inline]] inline void for_each_tile(TileShape s, const float* bias, F f) {
  const std::size_t n_tiles = s.n / 4;
  for (std::size_t j = 0; j < n_tiles; ++j) {
    float repeated[16];
    const auto columns = aie::load_v<4>(bias + j * 4);
    for (std::size_t row = 0; row < 4; ++row) aie::store_v(repeated + row * 4, columns);
    const Vec16 column_bias = aie::load_v<16>(repeated);
    for (std::size_t i = 0; i < s.m / 4; ++i) f((i * n_tiles + j) * 16, column_bias);
  }
}

template <typename Y>
inline void bias_tile(TileShape s, const float* c, const float* bias, Y* y) {
  for_each_tile(s, bias, [=](std::size_t at, const Vec16& b) {
    store_float(y + at, aie::add(aie::load_v<16>(c + at), b));
  });
}

inline void bias_gelu_tile(TileShape s, const float* c, const float* bias, bfloat16* y) {
  for_each_tile(s, bias, [=](std::size_t at, const Vec16& b) {
    store_float(y + at, gelu(aie::add(aie::load_v<16>(c + at), b)));
  });
}

template <typename X>
inline void bias_residual_tile(TileShape s, const float* c, const float* bias, X* x) {
  for_each_tile(s, bias, [=](std::size_t at, const Vec16& b) {
    store_float(x + at, aie::add(aie::add(aie::load_v<16>(c + at), b), load_float(x + at)));
  });
}

// A 4x8 tile of int32 becomes the two 4x4 tiles of float in the same place.
[[gnu::always_inline]] inline void dequantise_one(const std::int32_t* c, const float* row_scale,
                                                  const aie::vector<float, 8>& column, float* y) {
  const auto tile = aie::load_v<32>(c);
  for (unsigned row = 0; row < 4; ++row) {
    const auto scale = aie::mul(aie::broadcast<float, 8>(row_scale[row]), column);
    const auto values = aie::to_float(tile.template extract<8>(row));
    const auto scaled = aie::mul(values, scale.template to_vector<float>());
    const auto eight = scaled.template to_vector<float>();
    float* to = &y[std::size_t{row} * 4];
    aie::store_v(to, eight.template extract<4>(0));
    aie::store_v(to + 16, eight.template extract<4>(1));
  }
}

inline void dequantise_tile(TileShape s, const std::int32_t* c, Scales scales, float* y) {
  const std::size_t n_tiles = s.n / 8;
  for (std::size_t j = 0; j < n_tiles; ++j) {
    const auto column = aie::load_v<8>(&scales.column[j * 8]);
    for (std::size_t i = 0; i < s.m / 4; ++i) {
      const std::size_t at = (i * n_tiles + j) * 32;
      dequantise_one(c + at, &scales.row[i * 4], column, y + at);
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
