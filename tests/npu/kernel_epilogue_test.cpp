#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/npu/kernel_calls.h"
#include "tests/support/difference.h"
#include "tests/support/tile_layout.h"
#include "tests/support/tolerances.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;
using namespace wnpu::tests;

namespace {

constexpr TileShape kEpilogueShape{16, 24};
constexpr std::size_t kSize = kEpilogueShape.m * kEpilogueShape.n;

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

// gelu of each value, before and after the store to bf16; n a multiple of 32.
std::vector<bfloat16> run_gelu_kernel(const std::vector<float>& x, Rounding rounding) {
  const TileShape shape{4, x.size() / 4};
  std::vector<bfloat16> y(x.size());
  bias_gelu(shape, x, std::vector<float>(shape.n), y, rounding);
  return y;
}

}  // namespace

TEST_CASE("bias: adds a column's value and rounds to nearest even") {
  const auto c = random_vector(kSize, 1, 10.0);
  const auto column_bias = random_vector(kEpilogueShape.n, 2);
  std::vector<bfloat16> y(kSize);
  bias(kEpilogueShape, to_tiles(c, kEpilogueShape.n, kResult), column_bias, y,
       Rounding::nearest_even);
  const auto found = from_tiles(y, kEpilogueShape.n, kResult);
  for (std::size_t i = 0; i < kSize; ++i) {
    const float expected = c[i] + column_bias[i % kEpilogueShape.n];
    CHECK(found[i] == to_bfloat16(expected));
  }
}

TEST_CASE("bias: special values are stored as bf16.h says") {
  std::vector<float> c(32, 1.0f);
  const float special[] = {
      std::numeric_limits<float>::quiet_NaN(),
      -std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::max(),
      0x1p-126f,
      0x1p-127f,
      -0.0f,
      std::bit_cast<float>(0x3f808000u),  // ties: down to even,
      std::bit_cast<float>(0x3f818000u),  // up to even,
      std::bit_cast<float>(0xbf817fffu)   // and just below one
  };
  std::ranges::copy(special, c.begin());
  std::vector<bfloat16> y(32);
  const std::vector<float> none(8, -0.0f);
  for (const Rounding rounding : {Rounding::nearest_even, Rounding::truncate}) {
    bias({4, 8}, c, none, y, rounding);
    for (std::size_t i = 0; i < std::size(special); ++i) CHECK(y[i] == to_bfloat16(c[i], rounding));
  }
}

TEST_CASE("bias_gelu: within its documented error of the erf form, from -12 to 12") {
  std::vector<float> x(65536);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 2730.0f - 12.0f;
  const auto y = run_gelu_kernel(x, Rounding::nearest_even);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, beyond_rounding(y[i], exact_gelu(static_cast<double>(x[i]))));
  }
  MESSAGE("largest error beyond the store's rounding: " << worst);
  CHECK(worst <= tolerance::kGelu);
}

TEST_CASE("bias_gelu: keeps relative precision near zero, and its limits at the ends") {
  std::vector<float> x(32, 1.0f);
  for (std::size_t i = 0; i < 24; ++i) {
    x[i] = std::ldexp(i % 2 ? -1.0f : 1.3f, -static_cast<int>(i) * 4);
  }
  const float infinity = std::numeric_limits<float>::infinity();
  x[24] = infinity;
  x[25] = -infinity;
  x[26] = std::numeric_limits<float>::quiet_NaN();
  x[27] = -5.5f;
  const auto y = to_floats(run_gelu_kernel(x, Rounding::nearest_even));
  for (std::size_t i = 4; i < 24; ++i) {
    const double exact = exact_gelu(static_cast<double>(x[i]));
    const double relative = std::abs(static_cast<double>(y[i]) - exact) / std::abs(exact);
    CHECK(relative <= tolerance::kBf16Rounding + 2 * tolerance::kGeluRelative);
  }
  CHECK(y[24] == infinity);
  CHECK(y[25] == 0.0f);
  CHECK(std::isnan(y[26]));
  CHECK(y[27] == 0.0f);
}

TEST_CASE("bias_residual: adds to the stream in float, and rounds once") {
  const auto c = random_vector(kSize, 1);
  const auto column_bias = random_vector(kEpilogueShape.n, 2);
  const auto x = random_bf16(kSize, 3, 8.0);
  auto in_bf16 = to_tiles(x, kEpilogueShape.n, kResult);
  const auto c_tiles = to_tiles(c, kEpilogueShape.n, kResult);
  bias_residual(kEpilogueShape, c_tiles, column_bias, in_bf16, Rounding::nearest_even);
  in_bf16 = from_tiles(in_bf16, kEpilogueShape.n, kResult);
  for (std::size_t i = 0; i < kSize; ++i) {
    const float expected = (c[i] + column_bias[i % kEpilogueShape.n]) + to_float(x[i]);
    CHECK(in_bf16[i] == to_bfloat16(expected));
  }
}

TEST_CASE("dequantise: three roundings of float, into 4x4 tiles, also in place") {
  std::vector<std::int32_t> c(kSize);
  Random random(1);
  for (auto& v : c) v = static_cast<std::int32_t>(random.uniform() * 2147483647.0);
  const auto row = random_vector(kEpilogueShape.m, 2);
  const auto column = random_vector(kEpilogueShape.n, 3);
  const auto c_tiles = to_tiles(c, kEpilogueShape.n, kResultInt8);
  std::vector<float> y(kSize);
  dequantise(kEpilogueShape, c_tiles, {row, column}, y);
  const auto found = from_tiles(y, kEpilogueShape.n, kResult);
  for (std::size_t i = 0; i < kSize; ++i) {
    const double exact = static_cast<double>(c[i]) *
                         static_cast<double>(row[i / kEpilogueShape.n]) *
                         static_cast<double>(column[i % kEpilogueShape.n]);
    CHECK(std::abs(static_cast<double>(found[i]) - exact) <=
          3.01 * tolerance::kFloatRounding * std::abs(exact));
  }
  std::vector<float> same(kSize);
  std::ranges::transform(c_tiles, same.begin(),
                         [](std::int32_t v) { return std::bit_cast<float>(v); });
  const std::span<const std::int32_t> seen_as_int(
      reinterpret_cast<const std::int32_t*>(same.data()), kSize);
  dequantise(kEpilogueShape, seen_as_int, {row, column}, same);
  CHECK(same == y);
}
