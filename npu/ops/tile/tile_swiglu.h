// SwiGLU: a gate through x / (1 + e^-x), times what it lets through.
//
// e^-u of u = |gate| up to 87 (below, it is no normal float): t = -u log2 e is split into a whole
// number n and a rest within a half. n comes out of the lower half of a float of 1.5 * 2^23 + t;
// the bits of the bfloat16 2^n are (n + 127) * 128; 2^rest is a polynomial of degree 6 (Taylor,
// error 1.2e-7). 1 / (1 + e) lies between a half and 1, where aie::inv is good, and for negative
// gates e / (1 + e) keeps the precision that 1 - 1 / (1 + e) would lose.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_exp2.h"
#include "npu/kernel/tile_rows.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

[[gnu::always_inline]] inline Acc16 accum_of(const Vec16& v) {
  Acc16 acc;
  acc.from_vector(v);
  return acc;
}

// ln(2)^i / i! of t^0 .. t^6
inline constexpr float kExp2Taylor[7] = {1.0f,           0.693147181f,   0.240226507f,
                                         0.0555041087f,  0.00961812911f, 0.00133335581f,
                                         0.000154035304f};

// 2^n of two vectors of floats 1.5 * 2^23 + n, n from -126 to 127.
struct PowersOfTwo {
  [[gnu::always_inline]] static void of(const Vec16 (&shifted)[2], Vec16 (&power)[2]) {
    const auto both = aie::concat(shifted[0], shifted[1]);
    const Shorts32 n = aie::filter_even(both.template cast_to<std::int16_t>());
    aie::accum<acc32, 32> one;
    one.from_vector(aie::broadcast<std::int16_t, 32>(127 * 128), 4);
    const auto bits = aie::mac(one, n, aie::broadcast<std::int16_t, 32>(128 * 16));
    const auto powers = bits.template to_vector<std::int16_t>(4).template cast_to<bfloat16>();
    Acc16 acc[2];
    acc[0].from_vector(powers.template extract<16>(0));
    acc[1].from_vector(powers.template extract<16>(1));
    power[0] = acc[0].template to_vector<float>();
    power[1] = acc[1].template to_vector<float>();
  }
};

// e becomes e^-u, u from 0 to 87.
[[gnu::always_inline]] inline void exp_of_minus(const Vec16 (&u)[2], Vec16 (&e)[2]) {
  const Vec16 minus_log2_e = aie::broadcast<float, 16>(-1.44269504f);
  const Vec16 magic = aie::broadcast<float, 16>(12582912.0f);
  Vec16 rest[2];
  Vec16 shifted[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec16 t = product(u[i], minus_log2_e);
    shifted[i] = aie::add(t, magic);
    rest[i] = aie::sub(t, aie::sub(shifted[i], magic));
  }
  PowersOfTwo::of(shifted, e);
  for (std::size_t i = 0; i < 2; ++i) {
    Vec16 p = aie::broadcast<float, 16>(kExp2Taylor[6]);
    for (std::size_t power = 6; power-- > 0;) {
      const Acc16 c = accum_of(aie::broadcast<float, 16>(kExp2Taylor[power]));
      p = aie::mac(c, rest[i], p).template to_vector<float>();
    }
    e[i] = product(e[i], p);
  }
}

// gate becomes gate / (1 + e^-gate); NaN stays NaN, minus infinity gives nearly zero.
[[gnu::always_inline]] inline void silu(Vec16 (&gate)[2]) {
  const Ints16 zero = aie::zeros<std::int32_t, 16>();
  const Ints16 sign_off = aie::broadcast<std::int32_t, 16>(0x7fffffff);
  const Ints16 infinity = aie::broadcast<std::int32_t, 16>(0x7f800000);
  const Ints16 end = aie::broadcast<std::int32_t, 16>(0x42ae0000);  // 87.0
  const Vec16 one = aie::broadcast<float, 16>(1.0f);
  Vec16 u[2];
  Vec16 e[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Ints16 magnitude = aie::bit_and(gate[i].template cast_to<std::int32_t>(), sign_off);
    u[i] = aie::min(magnitude, end).template cast_to<float>();
  }
  exp_of_minus(u, e);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto bits = gate[i].template cast_to<std::int32_t>();
    const auto is_negative = aie::lt(bits, zero);
    const auto is_nan = aie::lt(infinity, aie::bit_and(bits, sign_off));
    const Vec16 upper = aie::inv(aie::add(one, e[i]));
    const Vec16 share = aie::select(upper, product(e[i], upper), is_negative);
    const Vec16 limited =
        aie::select(gate[i], aie::sub(aie::zeros<float, 16>(), u[i]), is_negative);
    gate[i] = aie::select(product(limited, share), gate[i], is_nan);
  }
}

inline void swiglu_tile(std::size_t n, const bfloat16* gate, const bfloat16* up, bfloat16* y) {
  for (std::size_t at = 0; at < n; at += 32) {
    Vec16 g[2] = {load_accum(gate + at).template to_vector<float>(),
                  load_accum(gate + at + 16).template to_vector<float>()};
    silu(g);
    for (std::size_t i = 0; i < 2; ++i) {
      const Vec16 passed = load_accum(up + at + 16 * i).template to_vector<float>();
      aie::store_v(y + at + 16 * i, aie::mul(g[i], passed).template to_vector<bfloat16>());
    }
  }
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
