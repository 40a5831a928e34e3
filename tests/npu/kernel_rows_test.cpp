#include <algorithm>
#include <cmath>
#include <cstdint>
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

// (x - mean) / sqrt(variance + 1e-5) of each row.
std::vector<double> exact_layer_norm(RowsShape s, const std::vector<float>& x) {
  std::vector<double> y;
  const auto width = static_cast<double>(s.width);
  for (std::size_t row = 0; row < s.rows; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * s.width);
    const std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(s.width));
    double mean = 0;
    double variance = 0;
    for (const double v : values) mean += v / width;
    for (const double v : values) variance += (v - mean) * (v - mean) / width;
    for (const double v : values) y.push_back((v - mean) / std::sqrt(variance + 1e-5));
  }
  return y;
}

}  // namespace

TEST_CASE("layer_norm_rows: float sums and a Newton root, one rounding to bf16") {
  const std::size_t widths[] = {16, 384, 512, 1280};
  const double scales[] = {1e-3, 1.0, 1e4};
  for (std::size_t i = 0; i < 12; ++i) {
    const RowsShape shape{5, widths[i % 4]};
    CAPTURE(shape.width);
    const auto x = random_bf16(shape.rows * shape.width, i, scales[i / 4]);
    const auto exact = exact_layer_norm(shape, to_floats(x));
    std::vector<bfloat16> y(x.size());
    std::vector<bfloat16> other(x.size());
    layer_norm_rows(shape, x, y, Rounding::nearest_even);
    double worst = 0;
    for (std::size_t at = 0; at < y.size(); ++at) {
      worst = std::max(worst, beyond_rounding(y[at], exact[at]));
    }
    CHECK(worst <= tolerance::kLayerNorm);
    layer_norm_rows(shape, x, other, Rounding::truncate);
    CHECK(nmse(to_floats(other), exact) > 3 * nmse(to_floats(y), exact));
  }
}

TEST_CASE("layer_norm_rows: the reciprocal root is good to float for any variance") {
  const RowsShape shape{4096, 16};
  auto x = random_vector(shape.rows * shape.width, 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(x[i], static_cast<int>(i / shape.width % 61) - 30);
  }
  const std::vector<bfloat16> stored = to_bfloat16s(x);
  std::vector<bfloat16> y(x.size());
  layer_norm_rows(shape, stored, y, Rounding::nearest_even);
  const auto exact = exact_layer_norm(shape, to_floats(stored));
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    worst = std::max(worst, beyond_rounding(y[i], exact[i]));
  }
  MESSAGE("largest error beyond the store's rounding: " << worst);
  CHECK(worst <= tolerance::kLayerNorm);
}

TEST_CASE("layer_norm_rows: a large mean does not swallow the deviations, a constant row is zero") {
  const RowsShape shape{2, 512};
  auto x = random_vector(1024, 1, 64.0);
  for (std::size_t i = 0; i < 512; ++i) x[i] += 1000.0f;
  std::fill(x.begin() + 512, x.end(), 3.0f);
  const std::vector<bfloat16> stored = to_bfloat16s(x);
  std::vector<bfloat16> y(1024);
  layer_norm_rows(shape, stored, y, Rounding::nearest_even);
  const auto exact = exact_layer_norm(shape, to_floats(stored));
  // The mean of values near 1000 has an error of up to 1000 * 2^-24 * a few.
  CHECK(max_abs_difference(to_floats(y), exact) < 2 * tolerance::kBf16Rounding + 1e-3);
  for (std::size_t i = 512; i < 1024; ++i) CHECK(to_float(y[i]) == 0.0f);
}

TEST_CASE("quantise_rows: nearest even steps of max / 127, the largest value is 127") {
  const RowsShape shape{7, 384};
  auto x = random_bf16(shape.rows * shape.width, 1, 3.0);
  std::fill_n(x.begin(), 384, bfloat16{});                     // a row of zeros
  std::fill_n(x.begin() + 384, 384, to_bfloat16(-0x1p-118f));  // a row of tiny values
  std::fill_n(x.begin() + 768, 384, to_bfloat16(1e37f));       // a row of huge ones
  std::vector<std::int8_t> q(x.size());
  std::vector<float> scale(shape.rows);
  quantise_rows(shape, x, q, scale);
  CHECK(scale[0] == 0.0f);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    int largest = 0;
    for (std::size_t i = row * 384; i < (row + 1) * 384; ++i) {
      const double back = static_cast<double>(q[i]) * static_cast<double>(scale[row]);
      const double error = std::abs(back - static_cast<double>(to_float(x[i])));
      CHECK(error <= 0.50002 * static_cast<double>(scale[row]));
      largest = std::max(largest, std::abs(static_cast<int>(q[i])));
    }
    CHECK(largest == (row == 0 ? 0 : 127));
  }
}
