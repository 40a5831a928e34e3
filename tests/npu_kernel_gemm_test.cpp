#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "npu/kernel/kernels.h"
#include "tests/difference.h"
#include "tests/tile_layout.h"
#include "tests/tolerances.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;
using namespace wnpu::tests;

namespace {

struct Product {
  std::vector<double> value;
  std::vector<double> magnitude;  // sum of |a| |b|
};

// start + a b, a and b row-major.
template <typename T>
Product exact_product(GemmShape s, const std::vector<T>& a, const std::vector<T>& b,
                      const std::vector<float>& start) {
  Product p{{start.begin(), start.end()}, std::vector<double>(s.m * s.n)};
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t k = 0; k < s.k; ++k) {
      const auto left = static_cast<double>(a[i * s.k + k]);
      for (std::size_t j = 0; j < s.n; ++j) {
        const double product = left * static_cast<double>(b[k * s.n + j]);
        p.value[i * s.n + j] += product;
        p.magnitude[i * s.n + j] += std::abs(product);
      }
    }
  }
  return p;
}

// One element of a matrix instruction as AMD AM020 chapter 4 describes it: the terms cut to 23
// fractional bits below the largest exponent, added exactly, and the sum cut to a float.
float aligned_sum(const std::vector<double>& terms) {
  double largest = 0;
  for (const double t : terms) largest = std::max(largest, std::abs(t));
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 23);
  double sum = 0;
  for (const double t : terms) sum += std::trunc(t / unit) * unit;
  const auto nearest = static_cast<float>(sum);
  return std::abs(static_cast<double>(nearest)) > std::abs(sum) ? std::nextafter(nearest, 0.0f)
                                                                : nearest;
}

std::vector<float> run_bf16(GemmShape s, const std::vector<bfloat16>& a,
                            const std::vector<bfloat16>& b, const std::vector<float>& start) {
  auto c = to_tiles(start, s.n, kResult);
  gemm_bf16(s, to_tiles(a, s.k, kLeft), to_tiles(b, s.n, kRight), c);
  return from_tiles(c, s.n, kResult);
}

}  // namespace

TEST_CASE("gemm_bf16: within float's accumulation error of the exact product") {
  for (const GemmShape s : {GemmShape{8, 8, 8}, {64, 64, 64}, {48, 512, 96}, {16, 1280, 8}}) {
    CAPTURE(s.k);
    const auto a = random_bf16(s.m * s.k, 1);
    const auto b = random_bf16(s.k * s.n, 2);
    const auto start = random_vector(s.m * s.n, 3);
    const auto c = run_bf16(s, a, b, start);
    const auto exact = exact_product(s, to_floats(a), to_floats(b), start);
    // A product passes 3 additions in the instruction and one an instruction after it.
    const double roundings = 3.0 + static_cast<double>(s.k) / 8.0;
    double worst = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double bound =
          roundings * tolerance::kFloatRounding * (exact.magnitude[i] + std::abs(start[i]));
      worst = std::max(worst, std::abs(static_cast<double>(c[i]) - exact.value[i]) / bound);
    }
    CHECK(worst <= 1.0);
  }
}

TEST_CASE("gemm_bf16: one instruction is near the array's aligned sum, also with cancellation") {
  const GemmShape s{8, 8, 8};
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    auto a = random_bf16(64, 10 + seed);
    const auto b = random_bf16(64, 1000 + seed);
    const auto start = random_vector(64, 2000 + seed, 4.0);
    Random exponent(seed);
    for (auto& v : a)
      v = to_bfloat16(std::ldexp(to_float(v), static_cast<int>(exponent.uniform() * 12)));
    const auto c = run_bf16(s, a, b, start);
    for (std::size_t at = 0; at < 64; ++at) {
      std::vector<double> terms{start[at]};
      double largest = std::abs(terms[0]);
      for (std::size_t k = 0; k < 8; ++k) {
        terms.push_back(static_cast<double>(to_float(a[at / 8 * 8 + k])) *
                        static_cast<double>(to_float(b[k * 8 + at % 8])));
        largest = std::max(largest, std::abs(terms.back()));
      }
      const double difference =
          static_cast<double>(c[at]) - static_cast<double>(aligned_sum(terms));
      worst = std::max(worst, std::abs(difference) / largest);
    }
  }
  MESSAGE("largest difference from the aligned sum: " << worst / 0x1p-23 << " * 2^-23 of a term");
  CHECK(worst < tolerance::kMmulAgainstAlignedSum);
  CHECK(worst > 0);  // they are not the same arithmetic
}

TEST_CASE("gemm_bf16: over k = 512 the aligned sum differs far less than a store to bf16 does") {
  const GemmShape s{8, 512, 8};
  const auto a = random_bf16(s.m * s.k, 1);
  const auto b = random_bf16(s.k * s.n, 2);
  const auto c = run_bf16(s, a, b, std::vector<float>(64));
  std::vector<float> aligned(64);
  std::vector<float> stored(64);
  for (std::size_t at = 0; at < 64; ++at) {
    for (std::size_t k = 0; k < s.k; k += 8) {
      std::vector<double> terms{aligned[at]};
      for (std::size_t i = k; i < k + 8; ++i) {
        terms.push_back(static_cast<double>(to_float(a[at / 8 * s.k + i])) *
                        static_cast<double>(to_float(b[i * 8 + at % 8])));
      }
      aligned[at] = aligned_sum(terms);
    }
    stored[at] = to_float(to_bfloat16(c[at]));
  }
  MESSAGE("NMSE " << nmse(aligned, c) << " against " << nmse(stored, c) << " of the store");
  CHECK(nmse(aligned, c) < 1e-4 * nmse(stored, c));
}

TEST_CASE("gemm_bf16: denormal operands and products count as zero") {
  const GemmShape s{8, 8, 8};
  const std::vector<float> zero(64);
  const std::vector<bfloat16> denormal(64, bfloat16{0x007f});
  const std::vector<bfloat16> one(64, to_bfloat16(1.0f));
  const std::vector<bfloat16> tiny(64, to_bfloat16(0x1p-70f));
  CHECK(run_bf16(s, denormal, one, zero) == zero);
  CHECK(run_bf16(s, tiny, tiny, zero) == zero);
  CHECK(run_bf16(s, one, one, zero) == std::vector<float>(64, 8.0f));
}

TEST_CASE("gemm_int8: is exact, with the extreme values as well") {
  for (const GemmShape s : {GemmShape{8, 8, 16}, {64, 96, 64}, {8, 2048, 16}}) {
    for (const int extreme : {0, -128, 127}) {
      auto a = random_int8(s.m * s.k, 1);
      auto b = random_int8(s.k * s.n, 2);
      if (extreme != 0) {
        std::ranges::fill(a, static_cast<std::int8_t>(extreme));
        std::ranges::fill(b, std::int8_t{-128});
      }
      std::vector<std::int32_t> c(s.m * s.n, 5);
      gemm_int8(s, to_tiles(a, s.k, kLeftInt8), to_tiles(b, s.n, kRightInt8), c);
      const auto exact = exact_product(s, a, b, std::vector<float>(s.m * s.n, 5.0f));
      const auto found = from_tiles(c, s.n, kResultInt8);
      CHECK(std::ranges::equal(found, exact.value, [](std::int32_t x, double y) {
        return static_cast<double>(x) == y;
      }));
    }
  }
}

TEST_CASE("gemm: buffers of the wrong size and shapes that are no tiles are refused") {
  std::vector<bfloat16> a(64), b(64), small(63);
  std::vector<float> c(64);
  CHECK_THROWS_WITH_AS(gemm_bf16({8, 8, 8}, small, b, c), "gemm a: expected 64 elements, found 63",
                       std::invalid_argument);
  CHECK_THROWS_AS(gemm_bf16({8, 8, 8}, a, small, c), std::invalid_argument);
  CHECK_THROWS_AS(gemm_bf16({8, 8, 16}, a, b, c), std::invalid_argument);
  CHECK_THROWS_WITH_AS(gemm_bf16({4, 8, 16}, a, b, c), "gemm m: expected a multiple of 8, found 4",
                       std::invalid_argument);
  CHECK_THROWS_AS(gemm_bf16({8, 0, 8}, a, b, c), std::invalid_argument);
  std::vector<std::int8_t> ia(64), ib(64);
  std::vector<std::int32_t> ic(64);
  CHECK_THROWS_AS(gemm_int8({8, 8, 8}, ia, ib, ic), std::invalid_argument);
}
