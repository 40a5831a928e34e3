// 2^t in 16-bit integers: no table, no float arithmetic, 32 values at a time.
//
// A float of 1.5 * 2^14 + t has t in 1/512 in its lower 16 bits while -64 <= t < 64. Those bits are
// x; with f = x mod 512 in 1/512, 2^t = 2^floor(t) (1 + f + h(f)), h(f) = 2^f - 1 - f, and
// the bits of the bfloat16 are x / 4 + 127 * 128 + 128 h(f): whole powers are exact, since h(0) is
// 0. h by f (c1 + f (c2 + f c3)), coefficients searched on integers so that the largest relative
// error of 1 + f + h over the 512 values of f is least: 1.02e-4.
#pragma once

#include <cstdint>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/bf16.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

using Ints16 = aie::vector<std::int32_t, 16>;
using Shorts32 = aie::vector<std::int16_t, 32>;

inline constexpr std::int32_t kFixedZero = 0x46c00000;  // of 1.5 * 2^14
inline constexpr std::int32_t kFixedOne = 512;
inline constexpr std::int32_t kFixedLowest = kFixedZero - 64 * kFixedOne;
inline constexpr std::int32_t kFixedHighest = kFixedZero + 64 * kFixedOne - 1;

class Exp2 {
 public:
  Exp2()
      : fraction_bits_(aie::broadcast<std::int16_t, 32>(511)),
        cubic_(aie::broadcast<std::int16_t, 32>(10164)),    // c3 = 0.07754, in 2^-17
        quarter_(aie::broadcast<std::int16_t, 32>(16384)),  // x / 4, in 2^-16
        lowest_(aie::broadcast<std::int32_t, 16>(kFixedLowest)),
        highest_(aie::broadcast<std::int32_t, 16>(kFixedHighest)) {
    square_.from_vector(aie::broadcast<std::int16_t, 32>(7437), 11);    // c2 = 0.22696, in 2^-15
    linear_.from_vector(aie::broadcast<std::int16_t, 32>(-9984), 9);    // c1 = -0.30469, in 2^-15
    one_.from_vector(aie::broadcast<std::int16_t, 32>(127 * 128), 16);  // 2^0
  }

  // The bits of two vectors of floats 1.5 * 2^14 + t; t outside of -64 to 64 counts as the nearest.
  [[gnu::always_inline]] aie::vector<bfloat16, 32> of(const Ints16& low, const Ints16& high) const {
    const auto both = aie::concat(clamped(low), clamped(high));
    return of_fixed(aie::filter_even(both.template cast_to<std::int16_t>()));
  }

 private:
  [[gnu::always_inline]] Ints16 clamped(const Ints16& t) const {
    return aie::min(aie::max(t, lowest_), highest_);
  }
  [[gnu::always_inline]] aie::vector<bfloat16, 32> of_fixed(const Shorts32& x) const {
    const Shorts32 f = aie::bit_and(x, fraction_bits_);
    const Shorts32 second = aie::mac(square_, f, cubic_).template to_vector<std::int16_t>(11);
    const Shorts32 first = aie::mac(linear_, f, second).template to_vector<std::int16_t>(10);
    const auto bits = aie::mac(aie::mac(one_, x, quarter_), f, first);
    return bits.template to_vector<std::int16_t>(16).template cast_to<bfloat16>();
  }

  Shorts32 fraction_bits_, cubic_, quarter_;
  Ints16 lowest_, highest_;
  aie::accum<acc32, 32> square_, linear_, one_;
};

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
