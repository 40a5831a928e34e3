// aie_api's accumulators and what goes through them on AIE2: every sum and product of floats, and
// all conversions with rounding. Instructions an operation: AM020 ch. 4 (128 bf16 products in 16
// lanes, 32 lanes of 16-bit products, conversions of 16 float or 32 integer lanes) and
// Xilinx/aie_api dc3ab77, include/aie_api/detail/aie2/.
#pragma once

#include "npu/kernel/aie_api_host.h"

// NOLINTBEGIN(readability-identifier-naming)
struct accfloat;  // tag: float accumulator
struct acc32;     // tag: int32 accumulator

namespace aie {
inline namespace WNPU_TILE_TARGET {

// ---- the core's control registers; both start as after reset (aie.hpp: "the default
// rounding_mode::floor"; aie_types.hpp, saturation_mode: none is 0)

enum class rounding_mode : unsigned { floor, conv_even };
enum class saturation_mode : unsigned { none = 0, saturate = 1, symmetric = 3 };

namespace host {
inline thread_local constinit std::uint32_t carry_mask = 0;  // all ones for conv_even
inline thread_local constinit saturation_mode saturation = saturation_mode::none;
}  // namespace host

inline void set_rounding(rounding_mode mode) {
  host::carry_mask = mode == rounding_mode::conv_even ? 0xffffffffu : 0u;
}
inline rounding_mode get_rounding() {
  return host::carry_mask == 0 ? rounding_mode::floor : rounding_mode::conv_even;
}
inline void set_saturation(saturation_mode mode) { host::saturation = mode; }
inline saturation_mode get_saturation() { return host::saturation; }

template <typename Tag, unsigned N>
struct accum;

// 16 lanes an instruction.
template <unsigned N>
struct accum<accfloat, N> {
  vector<float, N> value;

  template <typename T>
  [[gnu::always_inline]] vector<T, N> to_vector() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      host::count_shuffle<float, N>();
      return value;
    } else {
      host::count(&host::OpCounts::downshift, host::registers<float, N>(512));
      return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
        return host::join(host::narrow(value.part[2 * i], host::carry_mask),
                          host::narrow(value.part[2 * i + 1], host::carry_mask));
      });
    }
  }
  [[gnu::always_inline]] void from_vector(const vector<float, N>& v) {
    host::count_shuffle<float, N>();
    value = v;
  }
  [[gnu::always_inline]] void from_vector(const vector<bfloat16, N>& v) {
    host::count(&host::OpCounts::upshift, host::registers<float, N>(512));
#pragma GCC unroll 8
    for (unsigned i = 0; i < vector<bfloat16, N>::kParts; ++i) {
      value.part[2 * i] = host::widen(host::low_half(v.part[i]));
      value.part[2 * i + 1] = host::widen(host::high_half(v.part[i]));
    }
  }
};

// 32 lanes an instruction; sums wrap. Shift, round, saturate: as the modes above say.
template <unsigned N>
struct accum<acc32, N> {
  vector<std::int32_t, N> value;

  [[gnu::always_inline]] void from_vector(const vector<std::int16_t, N>& v, int shift = 0) {
    host::count(&host::OpCounts::upshift, host::registers<std::int32_t, N>(1024));
#pragma GCC unroll 8
    for (unsigned i = 0; i < vector<std::int16_t, N>::kParts; ++i) {
      value.part[2 * i] = host::widen_signed(host::low_half((host::U16)v.part[i])) << shift;
      value.part[2 * i + 1] = host::widen_signed(host::high_half((host::U16)v.part[i])) << shift;
    }
  }
  template <typename T>
  [[gnu::always_inline]] vector<T, N> to_vector(int shift = 0) const {
    static_assert(std::is_same_v<T, std::int16_t>);
    host::count(&host::OpCounts::downshift, host::registers<std::int32_t, N>(1024));
    return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
      return (host::I16)host::join(to_16_bits(value.part[2 * i], shift),
                                   to_16_bits(value.part[2 * i + 1], shift));
    });
  }

 private:
  [[gnu::always_inline]] static host::HalfU16 to_16_bits(host::I32 v, int shift) {
    host::I32 rounded = host::shift_and_round(v, shift, host::carry_mask);
    if (host::saturation != saturation_mode::none) {
      const int lowest = host::saturation == saturation_mode::symmetric ? -32767 : -32768;
      rounded = host::clamp(rounded, lowest, 32767);
    }
    return __builtin_convertvector((host::U32)rounded & 0xffffu, host::HalfU16);
  }
};

// ---- sums

template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> add(const accum<accfloat, N>& a,
                                                     const accum<accfloat, N>& b) {
  host::count(&host::OpCounts::mac, host::registers<float, N>(512));
  return {host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return a.value.part[i] + b.value.part[i];
  })};
}
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> sub(const accum<accfloat, N>& a,
                                                     const accum<accfloat, N>& b) {
  host::count(&host::OpCounts::mac, host::registers<float, N>(512));
  return {host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return a.value.part[i] - b.value.part[i];
  })};
}

// Floats in vectors go through accumulators (aie2/add.hpp: "we can use the accumulator adders").
namespace host {
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> in_accumulator(const vector<float, N>& v) {
  accum<accfloat, N> acc;
  acc.from_vector(v);
  return acc;
}
}  // namespace host
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> add(const vector<float, N>& a,
                                                   const vector<float, N>& b) {
  return add(host::in_accumulator(a), host::in_accumulator(b)).template to_vector<float>();
}
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> sub(const vector<float, N>& a,
                                                   const vector<float, N>& b) {
  return sub(host::in_accumulator(a), host::in_accumulator(b)).template to_vector<float>();
}

// Halves against each other, each a shift and a sum; the scalar can only be stored or broadcast, as
// AIE2 has no scalar float arithmetic (AM020 ch. 4).
template <unsigned N>
inline float reduce_add(const vector<float, N>& v) {
  float lanes[N];
  std::memcpy(lanes, v.part, sizeof(lanes));
  for (unsigned half = N / 2; half > 0; half /= 2) {
    host::count(&host::OpCounts::shuffle);
    host::count(&host::OpCounts::mac);
    for (unsigned i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  host::count(&host::OpCounts::shuffle, 3);  // into and out of the accumulator, and lane 0
  host::count(&host::OpCounts::scalar);
  return lanes[0];
}

// ---- products

namespace host {
// A product of floats (aie2 intrinsic mul_elem_16, the accurate form that is its default): both
// operands cut into three bf16 by two conversions and subtractions each, nine products. What the
// nine miss is below 2^-24 of the product; here it is rounded to float.
template <unsigned N>
[[gnu::always_inline]] inline void count_float_products(unsigned products) {
  const unsigned times = products * registers<float, N>(512);
  count(&OpCounts::mac, 13 * times);
  count(&OpCounts::downshift, 6 * times);
  count(&OpCounts::shuffle, 6 * times);  // 16 lanes and 16 zeros: mul_elem_16_2 has 32
}
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> multiply(const vector<float, N>& a,
                                                        const vector<float, N>& b) {
  return map<float, N>([&](unsigned i)
                           __attribute__((always_inline)) { return a.part[i] * b.part[i]; });
}
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> widened(const vector<bfloat16, N>& v) {
  vector<float, N> result;
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<bfloat16, N>::kParts; ++i) {
    result.part[2 * i] = widen(low_half(v.part[i]));
    result.part[2 * i + 1] = widen(high_half(v.part[i]));
  }
  return result;
}
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> sum(const vector<float, N>& a,
                                                     const vector<float, N>& b) {
  return {map<float, N>([&](unsigned i)
                            __attribute__((always_inline)) { return a.part[i] + b.part[i]; })};
}
// aie2/mul_acc32_fp.hpp: 16 lanes an instruction that has room for 32, so that zeros are inserted.
template <unsigned N>
[[gnu::always_inline]] inline void count_bf16_product() {
  count(&OpCounts::mac, registers<float, N>(512));
  count(&OpCounts::shuffle, 2 * registers<float, N>(512));
}
}  // namespace host

template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mul(const vector<float, N>& a,
                                                     const vector<float, N>& b) {
  host::count_float_products<N>(1);
  return {host::multiply(a, b)};
}
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mac(const accum<accfloat, N>& c,
                                                     const vector<float, N>& a,
                                                     const vector<float, N>& b) {
  host::count_float_products<N>(1);
  return host::sum(c.value, host::multiply(a, b));
}
// Products of bf16 are exact in float.
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mul(const vector<bfloat16, N>& a,
                                                     const vector<bfloat16, N>& b) {
  host::count_bf16_product<N>();
  return {host::multiply(host::widened(a), host::widened(b))};
}
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mac(const accum<accfloat, N>& c,
                                                     const vector<bfloat16, N>& a,
                                                     const vector<bfloat16, N>& b) {
  host::count_bf16_product<N>();
  return host::sum(c.value, host::multiply(host::widened(a), host::widened(b)));
}
// 32 lanes of 16 by 16 bits an instruction.
template <unsigned N>
[[gnu::always_inline]] inline accum<acc32, N> mac(const accum<acc32, N>& c,
                                                  const vector<std::int16_t, N>& a,
                                                  const vector<std::int16_t, N>& b) {
  host::count(&host::OpCounts::mac, host::registers<std::int16_t, N>(512));
  accum<acc32, N> result;
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<std::int16_t, N>::kParts; ++i) {
    host::I32 low;
    host::I32 high;
    host::multiply_16(a.part[i], b.part[i], low, high);
    result.value.part[2 * i] = c.value.part[2 * i] + low;
    result.value.part[2 * i + 1] = c.value.part[2 * i + 1] + high;
  }
  return result;
}

// ---- functions made of the above

// aie2/elementary.hpp, Fix2Float of 32 bits: two halves of 16 bits, each made float by a constant
// added as an integer and taken off as a float, then added.
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> to_float(const vector<std::int32_t, N>& v) {
  host::count(&host::OpCounts::mac, 5);
  host::count(&host::OpCounts::upshift, 2);
  host::count(&host::OpCounts::shuffle, 3);
  return host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return __builtin_convertvector(v.part[i], host::F32);
  });
}

// 1 / x for normal x > 0: a first guess from the exponent and two steps towards the root, with a
// relative error below 4e-7; six float products and a sum in aie2/elementary.hpp. inv(0) is
// infinite or huge.
template <unsigned N>
inline vector<float, N> inv(const vector<float, N>& x) {
  host::count_float_products<N>(6);
  host::count(&host::OpCounts::mac, host::registers<float, N>(512));
  return host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    const host::F32 v = x.part[i];
    const auto guess = (host::F32)(0x7eb53567 - (host::I32)v);
    const host::F32 better = 1.9395974f * (guess * (1.436142f - v * guess));
    return better * (2.0f - v * better);
  });
}

// 1 / sqrt(x) for normal x > 0 with a relative error below 7e-4: one step from the guess; four
// float products in aie2/elementary.hpp.
template <unsigned N>
inline vector<float, N> invsqrt(const vector<float, N>& x) {
  host::count_float_products<N>(4);
  host::count(&host::OpCounts::upshift);
  host::count(&host::OpCounts::downshift);
  host::count(&host::OpCounts::alu);
  return host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    const host::F32 v = x.part[i];
    const auto guess = (host::F32)(0x5f1ffff9 - ((host::I32)v >> 1));
    return guess * (0.703952253f * 2.38924456f - (v * 0.703952253f) * (guess * guess));
  });
}

}  // namespace WNPU_TILE_TARGET
}  // namespace aie
// NOLINTEND(readability-identifier-naming)
