// The SIMD registers of the host as aie_api_host.h needs them. Compiled once a SIMD target: a
// target file sets WNPU_TILE_TARGET and the compiler's target and includes this. Only operations
// that IEEE 754 defines to the last bit are used, and never a contraction to fused multiply-add, so
// that the width of a register cannot change a result.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

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
#if WNPU_TILE_BYTES == 32
  return (I32)__builtin_ia32_pmaddwd256(a, b);
#else
  return (I32)__builtin_ia32_pmaddwd128(a, b);
#endif
}

[[gnu::always_inline]] inline F32 select(F32 if_false, F32 if_true, I32 mask) {
  return (F32)(((I32)if_true & mask) | ((I32)if_false & ~mask));
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
