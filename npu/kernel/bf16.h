// bfloat16 as the array stores it: the upper half of a float. On a core it is the compiler's type;
// on the host a struct, with conversions of explicit rounding mode, where values too small for a
// normal bfloat16 become zero, as the array has no denormals (AMD AM020 chapter 4: "Denormalized
// numbers are not supported").
#pragma once

#if defined(__AIEARCH__)
#include <aie_api/aie.hpp>
#else
#include <bit>
#endif
#include <cstdint>

namespace wnpu::npu {

// Rounding of the lower 16 bits when a float is stored as bfloat16. The hardware's default
// truncates (aie_api: rounding_mode::floor); conv_even rounds to nearest, ties to even.
enum class Rounding { nearest_even, truncate };

#if defined(__AIEARCH__)
using ::bfloat16;
#else

// Named as AMD's toolchain names it, so that kernel sources read the same in both worlds.
// NOLINTNEXTLINE(readability-identifier-naming)
struct bfloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(bfloat16, bfloat16) = default;  // of bits: +0 and -0 differ
};
static_assert(sizeof(bfloat16) == 2);

constexpr float to_float(bfloat16 value) {
  const std::uint32_t bits = std::uint32_t{value.bits} << 16;
  const bool is_denormal = (bits & 0x7f800000u) == 0;
  return std::bit_cast<float>(is_denormal ? bits & 0x80000000u : bits);
}

// NaN stays NaN (quiet, sign kept), infinities stay, overflow by rounding gives infinity.
constexpr bfloat16 to_bfloat16(float value, Rounding rounding = Rounding::nearest_even) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  if (magnitude > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7fc0u)};
  if (magnitude < 0x00800000u) return {sign};
  const std::uint32_t tie_to_even = 0x7fffu + ((bits >> 16) & 1u);
  const std::uint32_t carry = rounding == Rounding::nearest_even ? tie_to_even : 0u;
  return {static_cast<std::uint16_t>((bits + carry) >> 16)};
}

#endif

}  // namespace wnpu::npu
