#include "npu/kernel/bf16.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

using wnpu::npu::Rounding;
using wnpu::npu::to_bfloat16;
using wnpu::npu::to_float;

namespace {

float float_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
bool is_denormal(std::uint16_t bits) { return (bits & 0x7f80u) == 0 && (bits & 0x7fu) != 0; }
bool is_nan(std::uint16_t bits) { return (bits & 0x7fffu) > 0x7f80u; }

// The bfloat16 nearest to `value` by looking at both neighbours, ties to the even one.
std::uint16_t nearest_by_search(float value) {
  const auto low = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  const auto high = static_cast<std::uint16_t>(low + 1);
  const double below = std::abs(static_cast<double>(value) - static_cast<double>(to_float({low})));
  const double above = std::abs(static_cast<double>(to_float({high})) - static_cast<double>(value));
  if (below == above) return low % 2 == 0 ? low : high;
  return below < above ? low : high;
}

// Bits of a value after conversion to float and back.
std::uint16_t after_a_round_trip(std::uint16_t bits) {
  const auto sign = static_cast<std::uint16_t>(bits & 0x8000u);
  if (is_denormal(bits)) return sign;
  if (is_nan(bits)) return static_cast<std::uint16_t>(sign | 0x7fc0u);
  return bits;
}

}  // namespace

TEST_CASE("bf16: every one of the 65,536 values survives float and back, denormals as zero") {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = to_float({bits});
    CHECK(to_bfloat16(value, Rounding::nearest_even).bits == after_a_round_trip(bits));
    CHECK(to_bfloat16(value, Rounding::truncate).bits == after_a_round_trip(bits));
    CHECK(std::isnan(value) == is_nan(bits));
    if (is_denormal(bits)) CHECK(value == 0.0f);
  }
}

TEST_CASE("bf16: rounding goes to the nearest value, ties to even, for each value and step") {
  const std::uint32_t lower_halves[] = {0x0001, 0x7fff, 0x8000, 0x8001, 0xffff};
  for (std::uint32_t i = 0x0080; i < 0x7f7f; ++i) {  // positive normals but the last
    for (const std::uint32_t lower : lower_halves) {
      const float value = float_of_bits(i << 16 | lower);
      CHECK(to_bfloat16(value).bits == nearest_by_search(value));
      CHECK(to_bfloat16(-value).bits == (nearest_by_search(value) | 0x8000u));
      CHECK(to_bfloat16(value, Rounding::truncate).bits == i);
    }
  }
}

TEST_CASE("bf16: overflow gives infinity, NaN stays NaN, denormals become signed zero") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(to_bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(to_bfloat16(std::numeric_limits<float>::max(), Rounding::truncate).bits == 0x7f7f);
  CHECK(to_bfloat16(-infinity).bits == 0xff80);
  CHECK(to_bfloat16(float_of_bits(0x7f800001)).bits == 0x7fc0);  // would truncate to infinity
  CHECK(to_bfloat16(float_of_bits(0xffffffff)).bits == 0xffc0);  // would round to zero
  CHECK(to_bfloat16(float_of_bits(0x007fffff)).bits == 0x0000);  // would round to 2^-126
  CHECK(to_bfloat16(float_of_bits(0x80000001)).bits == 0x8000);
}
