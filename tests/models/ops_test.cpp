#include "models/kernels/vectors/ops.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include "models/weights/pack_weights.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::max_abs_difference;
using wnpu::tests::nmse;
using wnpu::tests::random_matrix;
using wnpu::tests::random_vector;

namespace {

// fp32 sums of a few hundred products against fp64: about 1e-7 a term, squared and averaged.
constexpr double kFp32Nmse = 1e-12;

}  // namespace

TEST_CASE("linear: agrees with fp64 for one row, for many, with and without bias, added or not") {
  ThreadPool pool(2);
  for (const std::size_t rows : {1U, 5U, 300U}) {
    for (const bool bias : {false, true}) {
      for (const bool add : {false, true}) {
        const Matrix x = random_matrix(rows, 70, 1);
        LinearWeights w{random_matrix(600, 70, 2),
                        bias ? random_vector(600, 3) : std::vector<float>()};
        Matrix y = random_matrix(rows, 600, 4);
        const Finish finish = add ? Finish::add : Finish::replace;
        const auto expected = wnpu::tests::product_reference(x.view(), w, y, finish);
        linear(pool, x.view(), w, y.view(), finish);
        CHECK(nmse(y.flat(), expected) < kFp32Nmse);
      }
    }
  }
}

TEST_CASE("linear: rows are the same bits for any number of threads and of rows beside them") {
  constexpr std::size_t kMostRows = 1500;
  wnpu::tests::Random random(11);
  const auto up_to = [&](std::size_t most) {
    return 1 + static_cast<std::size_t>((random.uniform() + 1) / 2 * static_cast<double>(most));
  };
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    CAPTURE(std::string(hwy::TargetName(target)));
    const std::size_t in = up_to(100);
    const std::size_t out = up_to(200);
    const Matrix x = random_matrix(kMostRows, in, 1);
    const LinearWeights w{random_matrix(out, in, 2), random_vector(out, 3)};
    ThreadPool one(1);
    Matrix expected(kMostRows, out);
    linear(one, x.view(), w, expected.view());
    for (std::size_t threads = 1; threads <= 8; ++threads) {
      const std::size_t rows = std::min(up_to(kMostRows), kMostRows);
      CAPTURE(threads);
      CAPTURE(rows);
      ThreadPool pool(threads);
      Matrix y(rows, out);
      linear(pool, x.view().row_range(kMostRows - rows, rows), w, y.view());
      CHECK(std::equal(y.flat().begin(), y.flat().end(),
                       expected.flat().end() - static_cast<std::ptrdiff_t>(rows * out)));
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("layer_norm: agrees with fp64, far from zero too") {
  ThreadPool pool(2);
  for (const std::size_t width : {64U, 67U, 384U}) {
    Matrix x = random_matrix(130, width, 5);
    for (float& v : x.flat()) v += 100.0F;
    const LayerNorm w{random_vector(width, 6), random_vector(width, 7)};
    Matrix y(130, width);
    layer_norm(pool, x.view(), w, y.view());
    for (std::size_t r = 0; r < x.rows(); r += 43) {
      double mean = 0;
      double variance = 0;
      for (const float v : x.row(r)) mean += static_cast<double>(v) / static_cast<double>(width);
      for (const float v : x.row(r)) {
        variance += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean) /
                    static_cast<double>(width);
      }
      std::vector<double> expected;
      for (std::size_t i = 0; i < width; ++i) {
        expected.push_back((static_cast<double>(x.row(r)[i]) - mean) / std::sqrt(variance + 1e-5) *
                               static_cast<double>(w.gamma[i]) +
                           static_cast<double>(w.beta[i]));
      }
      CHECK(max_abs_difference(y.row(r), expected) < 1e-4);  // 100 + x keeps 17 bits of x
    }
  }
}

TEST_CASE("gelu: is the erf form, within 3e-7 (1 + |x|) of fp64, from -30 to 30") {
  ThreadPool pool(1);
  Matrix x(1, 60001);
  for (std::size_t i = 0; i < x.cols(); ++i) x.row(0)[i] = static_cast<float>(i) * 1e-3F - 30.0F;
  Matrix y(1, x.cols());
  std::copy(x.flat().begin(), x.flat().end(), y.flat().begin());
  gelu(pool, y.view());
  double worst = 0;
  for (std::size_t i = 0; i < x.cols(); ++i) {
    const auto v = static_cast<double>(x.row(0)[i]);
    const double expected = 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0)));
    worst =
        std::max(worst, std::abs(static_cast<double>(y.row(0)[i]) - expected) / (1 + std::abs(v)));
  }
  CHECK(worst < 3e-7);
}

TEST_CASE("softmax and log_sum_exp: agree with fp64, with -inf entries and large values") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const std::size_t n : {1U, 7U, 1500U}) {
    auto x = random_vector(n, 8, 40.0);
    x[n / 2] = 300.0F;
    if (n > 2) x[0] = -kInf;
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v) - 300.0);
    CHECK(static_cast<double>(log_sum_exp(x)) == doctest::Approx(300.0 + std::log(sum)));
    std::vector<double> expected;
    for (const float v : x) expected.push_back(std::exp(static_cast<double>(v) - 300.0) / sum);
    softmax(x);
    CHECK(max_abs_difference(x, expected) < 1e-6);
  }
  const std::vector<float> nothing(9, -kInf);
  CHECK(log_sum_exp(nothing) == -kInf);
}

TEST_CASE("median of 7: the middle one, on every instruction set and for any length") {
  // A network that sorts all sequences of 0 and 1 sorts everything (Knuth, 5.3.4, theorem Z).
  std::vector<std::vector<float>> inputs(128);
  for (std::size_t bits = 0; bits < inputs.size(); ++bits)
    for (std::size_t i = 0; i < 7; ++i) inputs[bits].push_back((bits >> i & 1U) != 0 ? 1.0F : 0.0F);
  for (const std::size_t n : {6U, 7U, 23U, 100U, 1506U}) inputs.push_back(random_vector(n, n));
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    CAPTURE(std::string(hwy::TargetName(target)));
    for (const std::vector<float>& x : inputs) {
      std::vector<float> found(x.size() - 6);
      median_of_7(x, found);
      std::vector<float> expected;
      for (std::size_t i = 0; i + 6 < x.size(); ++i) {
        std::vector<float> window(x.begin() + std::ptrdiff_t(i), x.begin() + std::ptrdiff_t(i + 7));
        std::ranges::sort(window);
        expected.push_back(window[3]);
      }
      CHECK(found == expected);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}
