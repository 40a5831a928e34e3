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

struct Product {
  std::vector<double> value;
  std::vector<double> magnitude;  // sum of |a| |b|
};

// [8, k] and [k, 8], row-major.
struct Operands {
  std::vector<bfloat16> a, b;
  std::size_t k;
};

// start + a b, a and b row-major.
template <typename T>
Product exact_gemm(GemmShape s, const std::vector<T>& a, const std::vector<T>& b,
                   const std::vector<float>& start) {
  Product p{{start.begin(), start.end()}, std::vector<double>(s.m * s.n)};
  for (std::size_t at = 0; at < s.m * s.n; ++at) {
    for (std::size_t k = 0; k < s.k; ++k) {
      const double product =
          static_cast<double>(a[at / s.n * s.k + k]) * static_cast<double>(b[k * s.n + at % s.n]);
      p.value[at] += product;
      p.magnitude[at] += std::abs(product);
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

// The old value and the 8 products from k on of element `at` of an [8, 8] result.
std::vector<double> terms_of(std::size_t at, std::size_t k, float old, const Operands& in) {
  std::vector<double> terms{old};
  for (std::size_t i = k; i < k + 8; ++i) {
    terms.push_back(static_cast<double>(to_float(in.a[at / 8 * in.k + i])) *
                    static_cast<double>(to_float(in.b[i * 8 + at % 8])));
  }
  return terms;
}

std::vector<float> run_bf16(GemmShape s, const std::vector<bfloat16>& a,
                            const std::vector<bfloat16>& b, const std::vector<float>& start) {
  auto c = to_tiles(start, s.n, kResult);
  gemm_bf16(s, to_tiles(a, s.k, kLeft), to_tiles(b, s.n, kRight), c);
  return from_tiles(c, s.n, kResult);
}

bool int8_is_exact(GemmShape s, const std::vector<std::int8_t>& a,
                   const std::vector<std::int8_t>& b) {
  std::vector<std::int32_t> c(s.m * s.n, 5);
  gemm_int8(s, to_tiles(a, s.k, kLeftInt8), to_tiles(b, s.n, kRightInt8), c);
  const auto found = from_tiles(c, s.n, kResultInt8);
  const auto exact = exact_gemm(s, a, b, std::vector<float>(s.m * s.n, 5.0f)).value;
  return std::ranges::equal(found, exact,
                            [](std::int32_t x, double y) { return static_cast<double>(x) == y; });
}

}  // namespace

TEST_CASE("gemm_bf16: within float's accumulation error of the exact product") {
  for (const GemmShape s : {GemmShape{8, 8, 8}, {64, 64, 64}, {48, 512, 96}, {16, 1280, 8}}) {
    CAPTURE(s.k);
    const auto a = random_bf16(s.m * s.k, 1);
    const auto b = random_bf16(s.k * s.n, 2);
    const auto start = random_vector(s.m * s.n, 3);
    const auto c = run_bf16(s, a, b, start);
    const auto exact = exact_gemm(s, to_floats(a), to_floats(b), start);
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
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Operands in{random_bf16(64, 10 + seed), random_bf16(64, 1000 + seed), 8};
    Random exponent(seed);
    for (auto& v : in.a) {
      v = to_bfloat16(std::ldexp(to_float(v), static_cast<int>(exponent.uniform() * 12)));
    }
    const auto start = random_vector(64, 2000 + seed, 4.0);
    const auto c = run_bf16({8, 8, 8}, in.a, in.b, start);
    for (std::size_t at = 0; at < 64; ++at) {
      const auto terms = terms_of(at, 0, start[at], in);
      double largest = 0;
      for (const double t : terms) largest = std::max(largest, std::abs(t));
      const double found = c[at];
      worst = std::max(worst, std::abs(found - static_cast<double>(aligned_sum(terms))) / largest);
    }
  }
  MESSAGE("largest difference from the aligned sum: " << worst / 0x1p-23 << " * 2^-23 of a term");
  CHECK(worst < tolerance::kMmulAgainstAlignedSum);
  CHECK(worst > 0);  // they are not the same arithmetic
}

TEST_CASE("gemm_bf16: over k = 512 the aligned sum differs far less than a store to bf16 does") {
  const Operands in{random_bf16(4096, 1), random_bf16(4096, 2), 512};
  const auto c = run_bf16({8, 512, 8}, in.a, in.b, std::vector<float>(64));
  std::vector<float> aligned(64);
  std::vector<float> stored(64);
  for (std::size_t at = 0; at < 64; ++at) {
    for (std::size_t k = 0; k < in.k; k += 8) {
      aligned[at] = aligned_sum(terms_of(at, k, aligned[at], in));
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
    const std::vector<std::int8_t> lowest_a(s.m * s.k, -128), lowest_b(s.k * s.n, -128);
    const std::vector<std::int8_t> highest_a(s.m * s.k, 127);
    CHECK(int8_is_exact(s, random_int8(s.m * s.k, 1), random_int8(s.k * s.n, 2)));
    CHECK(int8_is_exact(s, lowest_a, lowest_b));
    CHECK(int8_is_exact(s, highest_a, lowest_b));
  }
}
