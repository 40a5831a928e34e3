// Products with nibbles: against fp64 on the same values, and exactly where nibbles hold them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "models/kernels/operands/u4_matrix.h"
#include "models/kernels/products/gemm.h"
#include "tests/support/difference.h"
#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::check_all_shapes;
using wnpu::tests::nmse;
using wnpu::tests::on_every_instruction_set;
using wnpu::tests::product_reference;
using wnpu::tests::random_matrix;
using wnpu::tests::random_vector;

namespace {

// A step of 1/7.5 of the largest value of uniform ones, / sqrt(12), squared, is 5e-3.
constexpr double kNibbleNmse = 8e-3;

U4Basis plain_basis(std::size_t k) {
  return {std::vector<float>(k, 0.0F), std::vector<float>(k, 1.0F)};
}

Matrix product(const Matrix& a, const U4Matrix& b) {
  ThreadPool pool(2);
  U4Rows rows(a.rows(), a.cols());
  rows.set(a.view(), b.basis());
  Matrix y(a.rows(), b.n());
  gemm(pool, {rows, b}, y.view());
  return y;
}

std::vector<double> reference(const Matrix& a, const Matrix& columns) {
  LinearWeights w{Matrix(columns.rows(), columns.cols()), {}};
  std::ranges::copy(columns.flat(), w.weight.flat().begin());
  return product_reference(a.view(), w, Matrix(), Finish::replace);
}

// Values that nibbles and bytes hold exactly.
Matrix half_steps(std::size_t columns, std::size_t k) {
  Matrix b(columns, k);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < k; ++i)
      b.row(c)[i] = static_cast<float>((5 * i + 3 * c) % 16) - 7.5F;
    b.row(c)[0] = c % 2 == 0 ? 7.5F : -7.5F;
  }
  return b;
}
Matrix whole_numbers(std::size_t rows, std::size_t k) {
  Matrix a(rows, k);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < k; ++i)
      a.row(r)[i] = static_cast<float>((37 * i + 11 * r) % 255) - 127;
    a.row(r)[0] = r % 2 == 0 ? 127.0F : -127.0F;
  }
  return a;
}

}  // namespace

TEST_CASE("u4 gemm: agrees with fp64 for every shape and instruction set") {
  const auto multiply = [](ConstMatrixView x, const LinearWeights& w, Finish /*replace*/,
                           MatrixView y) {
    U4Matrix b(plain_basis(x.cols), y.cols);
    b.set_columns(0, w.weight.view());
    U4Rows rows(x.rows, x.cols);
    rows.set(x, b.basis());
    gemm({rows, b}, y);
  };
  on_every_instruction_set([&] {
    check_all_shapes(kNibbleNmse, multiply, {{false}, {Finish::replace}});
  });
}

TEST_CASE("u4 gemm: numbers that 4 and 8 bits hold, the largest included, to the last bit") {
  on_every_instruction_set([] {
    constexpr std::size_t kK = 1280;
    const Matrix a = whole_numbers(13, kK);
    const Matrix columns = half_steps(70, kK);
    U4Matrix b(plain_basis(kK), 70);
    b.set_columns(0, columns.view().row_range(0, 40));
    b.set_columns(40, columns.view().row_range(40, 30));
    const Matrix y = product(a, b);
    const auto expected = reference(a, columns);
    // Sums below 2^24 in halves; those of 7.5 alone are rounded to fp32.
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(static_cast<double>(y.flat()[i]) == doctest::Approx(expected[i]).epsilon(1e-6));
  });
}

TEST_CASE("u4 gemm: what columns have in common costs no bits") {
  constexpr std::size_t kK = 64;
  Matrix columns = random_matrix(50, kK, 2);
  U4Basis basis{random_vector(kK, 3), std::vector<float>(kK, 1.0F)};
  for (float& value : basis.centre) value *= 100;
  basis.balance[5] = 1e-3F;
  for (std::size_t c = 0; c < columns.rows(); ++c) {
    columns.row(c)[5] *= 1000;
    for (std::size_t i = 0; i < kK; ++i) columns.row(c)[i] += basis.centre[i];
  }
  Matrix small = random_matrix(3, kK, 1);  // where columns are large
  for (std::size_t r = 0; r < small.rows(); ++r) small.row(r)[5] *= 1e-3F;
  U4Matrix b(basis, columns.rows());
  b.set_columns(0, columns.view());
  auto expected = reference(small, columns);
  auto found = product(small, b);
  // Less the common part, which is nearly all of a product here.
  for (std::size_t r = 0; r < small.rows(); ++r) {
    double common = 0;
    for (std::size_t i = 0; i < kK; ++i)
      common += static_cast<double>(small.row(r)[i]) * static_cast<double>(basis.centre[i]);
    for (std::size_t c = 0; c < columns.rows(); ++c) {
      expected[r * columns.rows() + c] -= common;
      found.row(r)[c] -= static_cast<float>(common);
    }
  }
  CHECK(nmse(found.flat(), expected) < 2 * kNibbleNmse);
}

TEST_CASE("u4 gemm: zeros, denormals, columns that are all centre") {
  on_every_instruction_set([] {
    Matrix a(3, 10);
    std::ranges::fill(a.row(1), -3.0F);
    std::ranges::fill(a.row(2), std::numeric_limits<float>::denorm_min());
    U4Matrix b({std::vector<float>(10, 2.0F), std::vector<float>(10, 1.0F)}, 3);
    Matrix columns(3, 10);
    std::ranges::fill(columns.row(1), 2.0F);
    std::ranges::fill(columns.row(2), std::numeric_limits<float>::denorm_min());
    b.set_columns(0, columns.view());
    const Matrix y = product(a, b);
    for (const float v : y.row(0)) CHECK(v == 0.0F);
    for (const auto& [col, expected] : {std::pair{0U, 0.0F}, {1U, -60.0F}, {2U, 0.0F}})
      CHECK(std::abs(y.row(1)[col] - expected) < 1e-4F);
    for (const float v : y.row(2)) CHECK(std::abs(v) < 1e-30F);
  });
}
