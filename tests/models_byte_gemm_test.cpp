// Products of bytes and of bf16 against fp64 on the same values, and at their limits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "models/byte_gemm.h"
#include "models/ops.h"
#include "tests/difference.h"
#include "tests/product_reference.h"
#include "tests/product_shapes.h"
#include "tests/random_matrix.h"

using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::kProductShapes;
using wnpu::tests::nmse;
using wnpu::tests::on_every_instruction_set;
using wnpu::tests::product_reference;
using wnpu::tests::random_matrix;
using wnpu::tests::random_vector;

namespace {

// Both sides in steps of 1/127 of their largest value, about three standard deviations of uniform
// values being less than that: a step / sqrt(12) twice.
constexpr double kByteNmse = 6e-5;
// Both sides rounded to 8 bits of their own.
constexpr double kBf16Nmse = 1e-5;

void check_bytes(const Linear& w, const Matrix& a, Finish finish) {
  ThreadPool pool(2);
  const ByteLinear b = bytes_side_by_side(pool, {{w}});
  ByteRows rows(a.rows(), a.cols());
  rows.set(a.view());
  Matrix y = random_matrix(a.rows(), w.weight.rows(), 4);
  const auto expected = product_reference(a.view(), w, y, finish);
  gemm(ByteProduct{rows, b.weight, b.bias, finish}, y.view());
  CHECK_MESSAGE(nmse(y.flat(), expected) < kByteNmse, a.rows(), " x ", w.weight.rows(), " x ",
                a.cols());
}

// The weights not by columns, but whole, as [k, n].
void check_set_at_once(const Linear& w, const Matrix& a) {
  Matrix b(a.cols(), w.weight.rows());
  for (std::size_t r = 0; r < b.rows(); ++r) {
    for (std::size_t c = 0; c < b.cols(); ++c) b.row(r)[c] = w.weight.row(c)[r];
  }
  ByteMatrix bytes(b.rows(), b.cols());
  bytes.set(random_matrix(b.rows(), b.cols(), 3).view());  // nothing stays of it
  bytes.set(b.view());
  ByteRows rows(a.rows(), a.cols());
  rows.set(a.view());
  Matrix y(a.rows(), b.cols());
  gemm(ByteProduct{rows, bytes}, y.view());
  const auto expected = product_reference(a.view(), w, y, Finish::replace);
  CHECK_MESSAGE(nmse(y.flat(), expected) < kByteNmse, a.rows(), " x ", b.cols(), " x ", a.cols());
}

void check_bf16(const Linear& w, const Matrix& a, Finish finish) {
  Bf16Matrix b(a.cols(), w.weight.rows());
  b.set_columns(0, w.weight.view());
  Bf16Rows rows(a.rows(), a.cols());
  for (std::size_t r = 0; r < a.rows(); ++r) rows.set_row(r, a.row(r));
  Matrix y = random_matrix(a.rows(), w.weight.rows(), 4);
  const auto expected = product_reference(a.view(), w, y, finish);
  gemm(
      Bf16Product{
          .a = rows.row(0), .stride = rows.stride(), .b = b, .bias = w.bias, .finish = finish},
      y.view());
  CHECK_MESSAGE(nmse(y.flat(), expected) < kBf16Nmse, a.rows(), " x ", w.weight.rows(), " x ",
                a.cols());
}

// One row of scores 0, 1, 2, ..., times `factor`, against every key.
struct Scores {
  Matrix keys;
  Matrix query;
};
Scores rising_scores(std::size_t n, float factor) {
  Scores s{Matrix(n, 4), Matrix(1, 4)};
  s.query.row(0)[0] = 1.0F;
  for (std::size_t i = 0; i < n; ++i) s.keys.row(i)[0] = factor * static_cast<float>(i);
  return s;
}

}  // namespace

TEST_CASE("byte gemm, bf16 gemm: agree with fp64 for every shape, finish and instruction set") {
  on_every_instruction_set([] {
    for (const auto& [m, n, k] : kProductShapes) {
      const Matrix a = random_matrix(m, k, 1);
      const Linear w{random_matrix(n, k, 2), random_vector(n, 3)};
      for (const Finish finish : {Finish::replace, Finish::gelu, Finish::add}) {
        check_bytes(w, a, finish);
        check_bf16(w, a, finish);
      }
    }
  });
}

TEST_CASE("byte gemm: whole numbers, the largest included, to fp32's last bits") {
  on_every_instruction_set([] {
    constexpr std::size_t kK = 5120;
    Matrix a(14, kK);
    Matrix weights(35, kK);
    for (std::size_t k = 0; k < kK; ++k) {
      for (std::size_t r = 0; r < a.rows(); ++r) a.row(r)[k] = (k + r) % 3 == 0 ? 127.0F : -127.0F;
      for (std::size_t c = 0; c < weights.rows(); ++c)
        weights.row(c)[k] = c == 0 || (k * c) % 5 != 0 ? 127.0F : -127.0F;
    }
    ByteMatrix b(kK, weights.rows());
    b.set_columns(0, weights.view().row_range(0, 20));
    b.set_columns(20, weights.view().row_range(20, 15));
    ByteRows rows(a.rows(), kK);
    rows.set(a.view());
    Matrix y(a.rows() - 1, weights.rows());
    gemm(ByteProduct{.a = rows, .b = b, .first_row = 1}, y.view());
    for (std::size_t r = 0; r < y.rows(); ++r) {
      for (std::size_t c = 0; c < y.cols(); ++c) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < kK; ++k)
          sum += static_cast<std::int64_t>(a.row(r + 1)[k] * weights.row(c)[k]);
        CHECK(y.row(r)[c] == doctest::Approx(static_cast<double>(sum)).epsilon(3e-7));
      }
    }
  });
}

TEST_CASE("byte gemm: an instruction set changes nothing but the rounding of fp32") {
  const Matrix a = random_matrix(20, 384, 1);
  const Matrix w = random_matrix(50, 384, 2);
  std::vector<Matrix> results;
  on_every_instruction_set([&] {
    ByteMatrix b(384, 50);
    b.set_columns(0, w.view());
    ByteRows rows(20, 384);
    rows.set(a.view());
    gemm(ByteProduct{rows, b}, results.emplace_back(20, 50).view());
  });
  for (const Matrix& result : results) CHECK(nmse(result.flat(), results.front().flat()) < 1e-12);
}

TEST_CASE("byte gemm: a right side set at once agrees with fp64 for every shape") {
  on_every_instruction_set([] {
    for (const auto& [m, n, k] : kProductShapes)
      check_set_at_once({random_matrix(n, k, 2), std::vector<float>(n)}, random_matrix(m, k, 1));
  });
}

TEST_CASE("byte gemm: rows of zeros, of one value, of denormals") {
  on_every_instruction_set([] {
    Matrix a(3, 10);
    std::ranges::fill(a.row(1), -3.0F);
    std::ranges::fill(a.row(2), std::numeric_limits<float>::denorm_min());
    ByteMatrix b(10, 2);
    Matrix weights(2, 10);
    std::ranges::fill(weights.row(1), 2.0F);
    b.set_columns(0, weights.view());
    ByteRows rows(3, 10);
    rows.set(a.view());
    Matrix y(3, 2);
    gemm(ByteProduct{rows, b}, y.view());
    for (const std::size_t r : {0U, 2U}) {
      for (const float v : y.row(r)) CHECK(v == 0.0F);
    }
    CHECK(y.row(1)[0] == 0.0F);
    CHECK(y.row(1)[1] == doctest::Approx(-60));
  });
}

TEST_CASE("score gemm: whole steps less a row's shift, cut off at 16 bits") {
  on_every_instruction_set([] {
    // Each key has its own scale, so that only the query's and the key's one value are rounded.
    const Scores s = rising_scores(131, 500.0F);
    ByteMatrix keys(4, 131);
    keys.set_columns(0, s.keys.view());
    ByteRows query(1, 4);
    query.set(s.query.view());
    ScoreRows scores(1, 131);
    for (const float shift : {0.0F, 40000.0F, 70000.0F}) {
      scores.reset(1);
      scores.set_shift(0, shift);
      gemm(query, keys, scores);
      for (std::size_t i = 0; i < 131; ++i) {
        const double exact = std::clamp(500.0 * static_cast<double>(i) - static_cast<double>(shift),
                                        -32768.0, 32767.0);
        CHECK(std::abs(scores.row(0)[i] - exact) <= 1);
      }
      for (std::size_t i = 131; i < scores.stride(); ++i) CHECK(scores.row(0)[i] == -32768);
    }
  });
}

TEST_CASE("bf16 gemm: rows that overlap") {
  on_every_instruction_set([] {
    const Matrix x = random_matrix(9, 6, 1);
    const Matrix by_columns = random_matrix(40, 13, 2);
    Bf16Matrix b(13, 40);
    b.set_columns(0, by_columns.view());
    Bf16Rows rows(9, 6);
    for (std::size_t r = 0; r < 9; ++r) rows.set_row(r, x.row(r));
    Matrix y(4, 40);
    // 13 terms from each second frame of 6: two frames and one value of a third.
    gemm(Bf16Product{.a = rows.row(0), .stride = 2 * rows.stride(), .b = b}, y.view());
    std::vector<double> expected;
    for (std::size_t r = 0; r < 4; ++r) {
      for (std::size_t c = 0; c < 40; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < 13; ++k)
          sum +=
              static_cast<double>(x.flat()[12 * r + k]) * static_cast<double>(by_columns.row(c)[k]);
        expected.push_back(sum);
      }
    }
    CHECK(nmse(y.flat(), expected) < kBf16Nmse);
  });
}
