// Integer products against fp64 on the same fp32 values, and at the limits of int32.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "models/kernels/operands/quantise.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::check_linear;
using wnpu::tests::nmse;
using wnpu::tests::on_every_instruction_set;
using wnpu::tests::random_linear;
using wnpu::tests::random_matrix;
using wnpu::tests::random_vector;

namespace {

// Steps of 1/8191 (int16 weights) and 1/127 (int8) of the largest value, rounded to the nearest:
// the error is a step / sqrt(12) where the largest is about three standard deviations.
constexpr double kInt16Nmse = 5e-8;
constexpr double kInt8Nmse = 2e-4;

}  // namespace

TEST_CASE("i16 gemm: agrees with fp64 for every shape, width, finish and instruction set") {
  on_every_instruction_set([] {
    check_linear(DataType::i16, kInt16Nmse);
    check_linear(DataType::i8, kInt8Nmse);
  });
}

TEST_CASE("i16 gemm: instruction sets differ in the rounding of the bias alone") {
  ThreadPool pool(1);
  const Matrix a = random_matrix(20, 384, 1);
  const LinearWeights w = random_linear(50, 384, 2);
  std::vector<Matrix> results;
  on_every_instruction_set([&] {
    const Linear b = pack_linear(pool, DataType::i16, {{w}});
    I16Rows rows(20, 384);
    rows.set(a.view(), b.weight.left_limit());
    gemm(Product{rows, b.weight, {}}, results.emplace_back(20, 50).view());
  });
  for (const Matrix& result : results) {
    CHECK(std::ranges::equal(result.flat(), results.front().flat()));
  }
}

TEST_CASE("i16 gemm: the largest values that the limit allows do not overflow") {
  ThreadPool pool(1);
  for (const std::size_t k : {64U, 384U, 1500U, 5120U}) {
    LinearWeights w{Matrix(3, k), std::vector<float>(3)};
    Matrix a(2, k);
    for (std::size_t i = 0; i < k; ++i) {
      w.weight.row(0)[i] = 1.0F;
      w.weight.row(1)[i] = -1.0F;
      w.weight.row(2)[i] = i % 2 == 0 ? 1.0F : -1.0F;
      a.row(0)[i] = 5.0F;
      a.row(1)[i] = i % 2 == 0 ? -5.0F : 5.0F;
    }
    const Linear b = pack_linear(pool, DataType::i16, {{w}});
    I16Rows rows(2, k);
    rows.set(a.view(), b.weight.left_limit());
    Matrix y(2, 3);
    gemm(Product{rows, b.weight, b.bias}, y.view());
    const float all = 5.0F * static_cast<float>(k);
    CHECK(y.row(0)[0] == doctest::Approx(all));
    CHECK(y.row(0)[1] == doctest::Approx(-all));
    CHECK(y.row(0)[2] == doctest::Approx(0));
    CHECK(y.row(1)[2] == doctest::Approx(-all));
  }
}

TEST_CASE("i16 gemm: rows of one scale that overlap") {
  ThreadPool pool(1);
  const LinearWeights w = random_linear(40, 18, 2);
  Matrix x = random_matrix(9, 6, 1);
  std::ranges::fill(x.row(3), 0.0F);
  on_every_instruction_set([&] {
    const Linear b = pack_linear(pool, DataType::i16, {{w}});
    I16Rows rows(9, 6);
    rows.set_alike(x.view(), b.weight.left_limit());
    for (const float scale : rows.scales()) CHECK(scale == rows.scales()[0]);
    Matrix y(4, 40);
    // Three frames of 6 from each second one on.
    PackedA seen = rows;
    seen.stride *= 2;
    seen.n_steps = b.weight.n_steps();
    gemm({seen, b.weight, b.bias}, y.view());
    const ConstMatrixView frames{x.flat().data(), 4, 18, 12};
    const auto expected = wnpu::tests::product_reference(frames, w, y, Finish::replace);
    CHECK(nmse(y.flat(), expected) < kInt16Nmse);
    rows.set_alike(Matrix(9, 6).view(), b.weight.left_limit());
    gemm({seen, b.weight, b.bias}, y.view());
    for (std::size_t r = 0; r < 4; ++r) CHECK(std::ranges::equal(y.row(r), b.bias));
  });
}

TEST_CASE("i16 gemm: a row's bits depend neither on the rows beside it nor on threads") {
  constexpr std::size_t kDepth = 384 / wnpu::tests::kSampleShare;
  ThreadPool one(1);
  const Matrix a = random_matrix(100, kDepth, 1);
  const LinearWeights w = random_linear(700, kDepth, 2);
  const Linear b = pack_linear(one, DataType::i8, {{w}});
  I16Rows all(100, kDepth);
  all.set(a.view(), b.weight.left_limit());
  Matrix expected(100, 700);
  gemm(Product{all, b.weight, b.bias}, expected.view());
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    for (const std::size_t rows : {1U, 2U, 3U, 5U, 20U, 100U}) {
      I16Rows some(rows, kDepth);
      some.set(a.view().row_range(0, rows), b.weight.left_limit());
      Matrix y(rows, 700);
      gemm(pool, Product{some, b.weight, b.bias}, y.view());
      CHECK(std::equal(y.flat().begin(), y.flat().end(), expected.flat().begin()));
    }
  }
}

TEST_CASE("softmax times values in integers: peaked, even, extreme and empty rows") {
  on_every_instruction_set([] {
    constexpr std::size_t kFrames = 1499;
    constexpr std::size_t kWidth = 64;
    Matrix values = random_matrix(kFrames, kWidth, 1);
    for (float& v : values.row(7)) v *= 1000;
    for (float& v : values.row(8)) v = 0;
    I16Matrix packed(kFrames, kWidth, {DataType::i16, ScaleOf::row, 1023});
    packed.set_rows(0, values.view().row_range(0, 700));
    packed.set_rows(700, values.view().row_range(700, kFrames - 700));
    Matrix scores = random_matrix(5, kFrames, 2);
    for (float& s : scores.row(1)) s = 3.0F;    // even
    for (float& s : scores.row(2)) s *= 30.0F;  // peaked
    for (float& s : scores.row(3)) s = -1000.0F;
    scores.row(3)[8] = 100.0F;  // one frame, whose value is 0
    for (float& s : scores.row(4)) s = s * 1e30F;
    std::vector<double> expected;
    for (std::size_t r = 0; r < scores.rows(); ++r) {
      const float max = *std::ranges::max_element(scores.row(r));
      double sum = 0;
      std::vector<double> row(kWidth);
      for (std::size_t f = 0; f < kFrames; ++f) {
        const double e = std::exp(static_cast<double>(scores.row(r)[f]) - static_cast<double>(max));
        sum += e;
        for (std::size_t c = 0; c < kWidth; ++c)
          row[c] += e * static_cast<double>(values.row(f)[c]);
      }
      for (const double v : row) expected.push_back(v / sum);
    }
    I16Rows weights(5, kFrames);
    std::vector<RunningSoftmax> softmax(5);
    for (std::size_t r = 0; r < 5; ++r) softmax[r].take_max(max(scores.row(r)));
    weights.set_softmax(scores.view(), softmax, packed.row_scales(), packed.left_sum_limit());
    Matrix y(5, kWidth);
    gemm(Product{weights, packed, {}}, y.view());
    for (std::size_t r = 0; r < 5; ++r) scale(y.row(r), 1.0F / softmax[r].sum);
    for (std::size_t r = 0; r < 5; ++r) {
      const auto of_row = std::span(expected).subspan(r * kWidth, kWidth);
      if (r == 3) {
        for (const float v : y.row(r)) CHECK(v == 0.0F);
      } else {
        CHECK_MESSAGE(nmse(y.row(r), std::vector<double>(of_row.begin(), of_row.end())) < 1e-5, r);
      }
    }
  });
}

TEST_CASE("quantising_factor: rounds to the nearest, reaches its limit, and 0 stays 0") {
  on_every_instruction_set([] {
    std::vector<float> x(37);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 18.0F;
    std::vector<std::int16_t> q(37);
    const float factor = quantising_factor(x, 9.0F);
    CHECK(factor == 0.5F);
    round_scaled(x, factor, q);
    CHECK(q.front() == -9);
    CHECK(q.back() == 9);
    CHECK(q[18] == 0);
    CHECK(q[22] == 2);
    const std::vector<float> zeros(5);
    CHECK(quantising_factor(zeros, 2047) == 0.0F);
    round_scaled(zeros, 0.0F, q);
    CHECK(std::all_of(q.begin(), q.begin() + 5, [](int v) { return v == 0; }));
    const std::vector<float> tiny(5, std::numeric_limits<float>::denorm_min());
    CHECK(quantising_factor(tiny, 2047) == 0.0F);
  });
}

TEST_CASE("byte_scale: takes in the least and the largest, wherever they are, and 0") {
  on_every_instruction_set([] {
    const float steps = byte_limits().left - 1;
    const float quarter = (steps + 2) / 4;
    for (std::size_t n = 2; n < 150; ++n) {
      std::vector<float> x(n, 0.5F);
      x[n - 1] = -quarter;
      x[(n - 1) / 2] = quarter - 1;
      const ByteScale scale = byte_scale(x);
      CHECK(scale.factor == 2.0F);
      CHECK(static_cast<float>(scale.zero) == 2 * quarter);
    }
    CHECK(byte_scale(std::vector<float>(150, 127.0F)).zero == 0);
    CHECK(static_cast<float>(byte_scale(std::vector<float>(150, -127.0F)).zero) == steps);
    CHECK(byte_scale(std::vector<float>(150)).factor == 0.0F);
  });
}

TEST_CASE("bytes: what is no number has some byte, and the sum is that of the bytes") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  on_every_instruction_set([] {
    for (std::size_t n = 1; n < 150; ++n) {
      std::vector<float> x = random_vector(n, n);
      x[n / 2] = kInfinity;
      x[n / 3] = -kInfinity;
      x[n - 1] = std::numeric_limits<float>::quiet_NaN();
      std::vector<std::int8_t> bytes(n);
      const std::int32_t sum = round_to_bytes(x, 3.0F, bytes);
      CHECK(sum == std::accumulate(bytes.begin(), bytes.end(), 0));
      if (n > 3) CHECK(bytes[n / 2] == 127);
      if (n > 3) CHECK(bytes[n / 3] == -127);
    }
  });
}

// The sums are of no use; a sanitizer sees whether they overflow.
TEST_CASE("quads: what is no number does not overflow a sum") {
  on_every_instruction_set([] {
    for (std::size_t n = 1; n < 40; ++n) {
      const std::vector<float> x(n, -std::numeric_limits<float>::infinity());
      const std::vector<float> factors(n, 1.0F);
      std::vector<std::int8_t> bytes(4 * n);
      std::vector<std::int32_t> sums(n);
      for (int i = 0; i < 3; ++i) round_to_quads({x, x, x, x}, factors, bytes, sums);
      CHECK(sums[0] % 4 == 0);
    }
  });
}
