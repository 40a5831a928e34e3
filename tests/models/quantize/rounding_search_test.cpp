// Rounding for a product: never a larger error than the nearest values have, and values that a file
// of int8 keeps.
#include "models/quantize/rounding_search.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "models/quantize/stored_values.h"
#include "tests/models/quantize/related_inputs.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

double squares(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * value;
  return sum;
}

}  // namespace

TEST_CASE("rounding search: second moments are sums of products, and a little on the diagonal") {
  ThreadPool pool(2);
  const Matrix inputs = random_matrix(37, 19, 4);
  const Matrix moments = second_moments(pool, inputs.view());
  const double damping = 0.01 * squares(inputs.flat()) / 19;
  for (std::size_t i = 0; i < 19; ++i) {
    for (std::size_t j = 0; j < 19; ++j) {
      double expected = i == j ? damping : 0;
      for (std::size_t r = 0; r < 37; ++r)
        expected += double{inputs.row(r)[i]} * double{inputs.row(r)[j]};
      CHECK(moments.row(i)[j] == doctest::Approx(expected).epsilon(1e-4));
    }
  }
}

TEST_CASE("rounding search: no row is worse than with the nearest values, most are far better") {
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const std::size_t cols = 8 * seed + 3;
    const Matrix weights = random_matrix(9, cols, seed, std::pow(10.0, double(seed % 5) - 2));
    const Matrix moments = second_moments(pool, related_inputs(300, cols, 10 * seed).view());
    const Matrix nearest = rounded_to_nearest(weights.view(), DType::i8_rows, "w");
    const Matrix found = round_for_product(pool, weights.view(), moments.view());
    double before = 0;
    double after = 0;
    for (std::size_t r = 0; r < 9; ++r) {
      const double own = row_error(weights, nearest, moments, r);
      CHECK(row_error(weights, found, moments, r) <= own * 1.0001);
      before += own;
      after += row_error(weights, found, moments, r);
    }
    if (cols > 20) CHECK(after < before / 2);
  }
}

TEST_CASE("rounding search: a file of int8 keeps the values, on any number of threads") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    ThreadPool one(1);
    ThreadPool three(3);
    const Matrix weights = random_matrix(7, 40, seed);
    const Matrix inputs = related_inputs(100, 40, seed);
    const Matrix moments = second_moments(one, inputs.view());
    CHECK(std::ranges::equal(second_moments(three, inputs.view()).flat(), moments.flat()));
    const Matrix found = round_for_product(one, weights.view(), moments.view());
    const Matrix again = round_for_product(three, weights.view(), moments.view());
    CHECK(std::ranges::equal(found.flat(), again.flat()));
    const Matrix stored = rounded_to_nearest(found.view(), DType::i8_rows, "w");
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      largest = std::max(largest, std::abs(double{stored.flat()[i]} - found.flat()[i]));
    CHECK(largest < 1e-6);
  }
}

TEST_CASE("rounding search: rows of zeros, and of numbers too small for a scale, stay") {
  ThreadPool pool(1);
  Matrix weights(3, 12);
  std::ranges::fill(weights.row(1), 1e-40F);
  weights.row(2)[4] = 1;
  const Matrix moments = second_moments(pool, random_matrix(20, 12, 3).view());
  const Matrix found = round_for_product(pool, weights.view(), moments.view());
  CHECK(std::ranges::equal(found.flat().first(24), weights.flat().first(24)));
  CHECK(found.row(2)[4] == 1);
}
