// The SIMD registers of the host as aie_api_host.h needs them. Compiled once a SIMD target: a
// target file sets WNPU_TILE_TARGET and the compiler's target and includes this. Only operations
// that IEEE 754 defines to the last bit are used, and never a contraction to fused multiply-add, so
// that the width of a register cannot change a result.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "npu/kernel/bf16.h"

#ifndef WNPU_TILE_TARGET  // for tools that look at this header alone
#define WNPU_TILE_TARGET baseline
#define WNPU_TILE_BYTES 16
#endif

namespace aie {
inline namespace WNPU_TILE_TARGET {
namespace host {

inline constexpr unsigned kBytes = WNPU_TILE_BYTES;  // of a register
inline constexpr unsigned kQuads = kBytes / 16;      // 128-bit parts of a register

// Register types by element; B bytes long.
template <typename T, unsigned B>
struct RegisterOf {
  typedef T type __attribute__((vector_size(B)));
};
template <unsigned B>
struct RegisterOf<wnpu::npu::bfloat16, B> {
  typedef std::uint16_t type __attribute__((vector_size(B)));
};
template <typename T, unsigned B = kBytes>
using Register = typename RegisterOf<T, B>::type;

using F32 = Register<float>;
using I32 = Register<std::int32_t>;
using U32 = Register<std::uint32_t>;
using I16 = Register<std::int16_t>;
using U16 = Register<std::uint16_t>;
using HalfU16 = Register<std::uint16_t, kBytes / 2>;  // as many elements as an F32
using HalfI16 = Register<std::int16_t, kBytes / 2>;

// Whole registers at any address: a memcpy may become narrower moves, whose results a whole load
// has to wait for.
template <typename R>
[[gnu::always_inline]] inline R load(const void* from) {
  typedef R Anywhere __attribute__((aligned(1), may_alias));
  return *static_cast<const Anywhere*>(from);
}
template <typename R>
[[gnu::always_inline]] inline void store(void* to, R r) {
  typedef R Anywhere __attribute__((aligned(1), may_alias));
  *static_cast<Anywhere*>(to) = r;
}

// Interleaves the lower (upper) halves of a's and b's 128-bit parts, 16 bits at a time.
[[gnu::always_inline]] inline U16 interleave_low(U16 a, U16 b) {
#if WNPU_TILE_BYTES == 32
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
#else
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#endif
}
[[gnu::always_inline]] inline U16 interleave_high(U16 a, U16 b) {
#if WNPU_TILE_BYTES == 32
  return __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
#else
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

// Element K of each 128-bit part in all four places of that part.
template <int K, typename R>
[[gnu::always_inline]] inline R splat_in_quads(R r) {
#if WNPU_TILE_BYTES == 32
  return __builtin_shufflevector(r, r, K, K, K, K, K + 4, K + 4, K + 4, K + 4);
#else
  return __builtin_shufflevector(r, r, K, K, K, K);
#endif
}

// The 128-bit part Q in all parts.
template <int Q, typename R>
[[gnu::always_inline]] inline R repeat_quad(R r) {
#if WNPU_TILE_BYTES == 32
  constexpr int kFirst = Q * 4;
  return __builtin_shufflevector(r, r, kFirst, kFirst + 1, kFirst + 2, kFirst + 3, kFirst,
                                 kFirst + 1, kFirst + 2, kFirst + 3);
#else
  return r;
#endif
}

// Two half registers side by side, and apart.
[[gnu::always_inline]] inline U16 join(HalfU16 low, HalfU16 high) {
#if WNPU_TILE_BYTES == 32
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
[[gnu::always_inline]] inline HalfU16 low_half(U16 r) {
#if WNPU_TILE_BYTES == 32
  return __builtin_shufflevector(r, r, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return __builtin_shufflevector(r, r, 0, 1, 2, 3);
#endif
}
[[gnu::always_inline]] inline HalfU16 high_half(U16 r) {
#if WNPU_TILE_BYTES == 32
  return __builtin_shufflevector(r, r, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  return __builtin_shufflevector(r, r, 4, 5, 6, 7);
#endif
}

using Bytes16 = Register<std::int8_t, 16>;

// The index-th Part of registers.
template <typename Part, typename Registers>
[[gnu::always_inline]] inline Part part_of(const Registers& registers, unsigned index) {
  Part part;
  std::memcpy(&part, reinterpret_cast<const char*>(registers) + index * sizeof(Part), sizeof(Part));
  return part;
}

// 16 bytes sign-extended, into 32 / kBytes registers.
[[gnu::always_inline]] inline void widen_bytes(Bytes16 v, I16* to) {
#if WNPU_TILE_BYTES == 32
  to[0] = __builtin_convertvector(v, I16);
#else
  to[0] = (I16)__builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7) >> 8;
  to[1] = (I16)__builtin_shufflevector(v, v, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15,
                                       15) >>
          8;
#endif
}

// 16-bit pairs multiplied and added pairwise to 32 bits: exact for int8 values.
[[gnu::always_inline]] inline I32 multiply_add_pairs(I16 a, I16 b) {
#if defined(__aarch64__)
  const U32 even_a = (U32)a << 16;
  const U32 even_b = (U32)b << 16;
  const I32 even = ((I32)even_a >> 16) * ((I32)even_b >> 16);
  const I32 odd = ((I32)a >> 16) * ((I32)b >> 16);
  return (I32)((U32)even + (U32)odd);
#elif WNPU_TILE_BYTES == 32
  return (I32)__builtin_ia32_pmaddwd256(a, b);
#else
  return (I32)__builtin_ia32_pmaddwd128(a, b);
#endif
}

template <typename R>
[[gnu::always_inline]] inline R select(R if_false, R if_true, I32 mask) {
  return (R)(((I32)if_true & mask) | ((I32)if_false & ~mask));
}

// An element as its register holds it.
template <typename T>
[[gnu::always_inline]] constexpr auto lane(T value) {
  if constexpr (std::is_same_v<T, wnpu::npu::bfloat16>) {
    return value.bits;
  } else {
    return value;
  }
}

[[gnu::always_inline]] inline I32 widen_signed(HalfU16 r) {
  return __builtin_convertvector((HalfI16)r, I32);
}

// Products of signed 16-bit elements, in order.
[[gnu::always_inline]] inline void multiply_16(I16 a, I16 b, I32& low, I32& high) {
  // As pairs (element, sign) and (element, 0), whose sum of products is the product.
  low = multiply_add_pairs((I16)widen_signed(low_half((U16)a)),
                           (I16) __builtin_convertvector(low_half((U16)b), U32));
  high = multiply_add_pairs((I16)widen_signed(high_half((U16)a)),
                            (I16) __builtin_convertvector(high_half((U16)b), U32));
}

// v / 2^shift: to nearest even when carry_mask is all ones, down when it is zero.
[[gnu::always_inline]] inline I32 shift_and_round(I32 v, int shift, std::uint32_t carry_mask) {
  if (shift == 0) return v;
  const I32 by = shift - I32{};
  const int largest_rest = (1 << shift) - 1;
  const I32 below = largest_rest - I32{};
  const I32 one = 1 - I32{};
  const I32 floor = v >> by;
  const I32 carry = ((v & below) + (below >> 1) + (floor & one)) >> by;
  return floor + (I32)((U32)carry & carry_mask);
}

[[gnu::always_inline]] inline I32 clamp(I32 v, int lowest, int highest) {
  const I32 low = lowest - I32{};
  const I32 high = highest - I32{};
  const I32 raised = select(v, low, v < low);
  return select(raised, high, raised > high);
}

// Elements 0, 2, 4 ... of the two registers: the lower halves of elements twice as wide.
[[gnu::always_inline]] inline I16 even_elements(I16 a, I16 b) {
  return (I16)join(__builtin_convertvector((U32)a, HalfU16),
                   __builtin_convertvector((U32)b, HalfU16));
}

// The transpose of a 4x8 matrix of 16-bit elements.
template <typename From, typename To>
[[gnu::always_inline]] inline void transpose_4x8(const From& from, To& to) {
  using Row = Register<std::uint16_t, 16>;
  using Pairs = Register<std::uint32_t, 16>;
  Row r[4];
  std::memcpy(r, from, sizeof(r));
  const auto low_01 = (Pairs)__builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 2, 10, 3, 11);
  const auto low_23 = (Pairs)__builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 2, 10, 3, 11);
  const auto high_01 = (Pairs)__builtin_shufflevector(r[0], r[1], 4, 12, 5, 13, 6, 14, 7, 15);
  const auto high_23 = (Pairs)__builtin_shufflevector(r[2], r[3], 4, 12, 5, 13, 6, 14, 7, 15);
  const Pairs columns[4] = {__builtin_shufflevector(low_01, low_23, 0, 4, 1, 5),
                            __builtin_shufflevector(low_01, low_23, 2, 6, 3, 7),
                            __builtin_shufflevector(high_01, high_23, 0, 4, 1, 5),
                            __builtin_shufflevector(high_01, high_23, 2, 6, 3, 7)};
  std::memcpy(to, columns, sizeof(columns));
}

// The transpose of a 4x4 matrix of 32-bit elements.
template <typename From, typename To>
[[gnu::always_inline]] inline void transpose_4x4(const From& from, To& to) {
  std::uint32_t in[4][4];
  std::uint32_t out[4][4];
  std::memcpy(in, from, sizeof(in));
  for (unsigned i = 0; i < 16; ++i) out[i % 4][i / 4] = in[i / 4][i % 4];
  std::memcpy(to, out, sizeof(out));
}

// bfloat16 to float, in order.
[[gnu::always_inline]] inline F32 widen(HalfU16 r) {
  return (F32)(__builtin_convertvector(r, U32) << 16);
}

// float to bfloat16 as wnpu::npu::to_bfloat16; carry_mask is all ones to round to nearest even and
// zero to truncate.
[[gnu::always_inline]] inline HalfU16 narrow(F32 r, std::uint32_t carry_mask) {
  const U32 bits = (U32)r;
  const U32 magnitude = bits & 0x7fffffffu;
  const U32 carry = (((bits >> 16) & 1u) + 0x7fffu) & carry_mask;
  const U32 is_nan = (U32)((I32)magnitude > 0x7f800000);
  const U32 is_normal = (U32)((I32)magnitude >= 0x00800000);
  const U32 sign = bits & 0x80000000u;
  const U32 value = (((bits + carry) & is_normal) | sign) & ~is_nan;
  const U32 nan = (sign | 0x7fc00000u) & is_nan;
  return __builtin_convertvector((value | nan) >> 16, HalfU16);
}

}  // namespace host
}  // namespace WNPU_TILE_TARGET
}  // namespace aie
