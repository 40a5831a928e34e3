// Products of bytes and of bf16 against fp64 on the same values, and at their limits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "models/kernels/operands/bf16_matrix.h"
#include "models/kernels/operands/quantise.h"
#include "models/kernels/products/gemm.h"
#include "models/weights/pack_weights.h"
#include "tests/support/difference.h"
#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::check_all_shapes;
using wnpu::tests::check_linear;
using wnpu::tests::nmse;
using wnpu::tests::on_every_instruction_set;
using wnpu::tests::random_matrix;

namespace {

// Both sides in steps of 1/127 of their largest value: a step / sqrt(12) twice. That value is below
// two standard deviations of uniform values; of rotated ones, which are nearly normal, it is twice
// that.
constexpr double kByteNmse = 6e-5;
constexpr double kRotatedByteNmse = 2e-4;
// Steps twice as wide, where limits have 7 bits.
double coarser() { return byte_limits().right < kMaxInt8 ? 4 : 1; }
// Both sides rounded to 8 bits of their own.
constexpr double kBf16Nmse = 1e-5;

// The weights not by columns, but whole, as [k, n].
void multiply_set_at_once(ConstMatrixView x, const LinearWeights& w, Finish finish, MatrixView y) {
  Matrix b(x.cols, y.cols);
  for (std::size_t r = 0; r < b.rows(); ++r) {
    for (std::size_t c = 0; c < b.cols(); ++c) b.row(r)[c] = w.weight.row(c)[r];
  }
  U8Matrix bytes(b.rows(), b.cols());
  bytes.set(random_matrix(b.rows(), b.cols(), 3).view());  // nothing stays of it
  bytes.set(b.view());
  U8Rows rows(x.rows, x.cols);
  rows.set(x);
  gemm({rows, bytes, w.bias, finish}, y);
}

void multiply_bf16_rows(ConstMatrixView x, const LinearWeights& w, Finish finish, MatrixView y) {
  Bf16Matrix b(x.cols, y.cols);
  b.set_columns(0, w.weight.view());
  Bf16Rows rows(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) rows.set_row(r, x.row(r));
  gemm({rows, b, w.bias, finish}, y);
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

TEST_CASE("u8 gemm, bf16 gemm: agree with fp64 for every shape, finish and instruction set") {
  on_every_instruction_set([] {
    check_linear(DataType::u8, coarser() * kRotatedByteNmse);
    check_all_shapes(kBf16Nmse, multiply_bf16_rows, {.with_bias = {true}});
  });
}

TEST_CASE("u8 gemm: whole numbers, the largest included, to fp32's last bits") {
  on_every_instruction_set([] {
    constexpr std::size_t kK = 5120;
    Matrix a(14, kK);
    Matrix weights(35, kK);
    for (std::size_t k = 0; k < kK; ++k) {
      for (std::size_t r = 0; r < a.rows(); ++r)
        a.row(r)[k] = (k + r) % 3 == 0 || r == 13 ? 127.0F : -127.0F;
      for (std::size_t c = 0; c < weights.rows(); ++c)
        weights.row(c)[k] = c == 0 || (k * c) % 5 != 0 ? 127.0F : -127.0F;
    }
    U8Matrix b(kK, weights.rows());
    b.set_columns(0, weights.view().row_range(0, 20));
    b.set_columns(20, weights.view().row_range(20, 15));
    U8Rows rows(a.rows(), kK);
    rows.set(a.view());
    Matrix y(a.rows() - 1, weights.rows());
    gemm({PackedA(rows).from_row(1), b}, y.view());
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

TEST_CASE(
    "u8 gemm: an instruction set changes nothing but 7 bits, or fp32's rounding in plain loops") {
  const Matrix a = random_matrix(20, 384, 1);
  const Matrix w = random_matrix(50, 384, 2);
  std::vector<Matrix> results;
  std::size_t with_bytes = 0;
  on_every_instruction_set([&] {
    if (coarser() > 1) return;
    if (has_byte_instructions() && results.size() == with_bytes) ++with_bytes;
    U8Matrix b(384, 50);
    b.set_columns(0, w.view());
    U8Rows rows(20, 384);
    rows.set(a.view());
    gemm({rows, b}, results.emplace_back(20, 50).view());
  });
  for (const Matrix& result : results) CHECK(nmse(result.flat(), results.front().flat()) < 1e-12);
  for (std::size_t i = 0; i < with_bytes; ++i)
    CHECK(std::ranges::equal(results[i].flat(), results.front().flat()));
}

TEST_CASE("u8 gemm: a right side set at once agrees with fp64 for every shape") {
  on_every_instruction_set([] { check_all_shapes(coarser() * kByteNmse, multiply_set_at_once); });
}

TEST_CASE("u8 gemm: rows of zeros, of one value, of denormals") {
  on_every_instruction_set([] {
    Matrix a(3, 10);
    std::ranges::fill(a.row(1), -3.0F);
    std::ranges::fill(a.row(2), std::numeric_limits<float>::denorm_min());
    U8Matrix b(10, 2);
    Matrix weights(2, 10);
    std::ranges::fill(weights.row(1), 2.0F);
    b.set_columns(0, weights.view());
    U8Rows rows(3, 10);
    rows.set(a.view());
    Matrix y(3, 2);
    gemm({rows, b}, y.view());
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
    U8Matrix keys(4, 131);
    keys.set_columns(0, s.keys.view());
    U8Rows query(1, 4);
    query.set(s.query.view());
    ScoreRows scores(1, 131);
    for (const float shift : {0.0F, 40000.0F, 70000.0F}) {
      scores.reset(1);
      scores.set_shift(0, shift);
      score(query, keys, scores);
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
    PackedA seen = rows;
    seen.stride *= 2;
    seen.n_steps = b.n_steps();
    gemm({seen, b}, y.view());
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
