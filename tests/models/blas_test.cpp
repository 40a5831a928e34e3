// Products by OpenBLAS against fp64, and the same for any number of threads.
#include "models/kernels/vectors/blas.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/kernels/operands/f32_matrix.h"
#include "tests/support/product_reference.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using namespace wnpu::tests;   // NOLINT

namespace {

constexpr double kBlasNmse = 1e-12;

// OpenBLAS as long as it lives.
struct WithBlas {
  WithBlas() { use_gemm(Gemm::blas); }
  ~WithBlas() { use_gemm(Gemm::own); }
};

bool is_missing() {
  if (!has_blas()) MESSAGE("SKIP: libopenblas0 is not installed");
  return !has_blas();
}

}  // namespace

TEST_CASE("blas: a missing library is told by its package, and changes nothing") {
  if (has_blas()) return;
  CHECK_THROWS_WITH_AS(use_gemm(Gemm::blas), doctest::Contains("libopenblas0"), LibraryError);
  CHECK(gemm_in_use() == Gemm::own);
}

TEST_CASE("blas: agrees with fp64 for every shape, bias and finish") {
  if (is_missing()) return;
  const WithBlas blas;
  check_linear(DataType::f32, kBlasNmse);
  ThreadPool pool(2);
  check_all_shapes(kBlasNmse,
                   [&](ConstMatrixView x, const LinearWeights& w, Finish finish, MatrixView y) {
                     const PackedB b = pack_weights(pool, w.weight.view(), DataType::f16);
                     REQUIRE(b.is_one_panel());
                     gemm(pool, {x, b, w.bias, finish}, y);
                   });
}

TEST_CASE("blas: what was packed for our kernels is still theirs, bit for bit") {
  if (is_missing()) return;
  ThreadPool pool(1);
  const Matrix x = random_matrix(20, 64, 1);
  const Matrix w = random_matrix(70, 64, 2);
  const PackedB own = pack_weights(pool, w.view(), DataType::f32);
  Matrix before(20, 70);
  gemm({x.view(), own}, before.view());
  const WithBlas blas;
  Matrix after(20, 70);
  gemm({x.view(), own}, after.view());
  CHECK(std::ranges::equal(before.flat(), after.flat()));
}

TEST_CASE("blas: rows set one after the other, rows of the left side that overlap") {
  if (is_missing()) return;
  const WithBlas blas;
  const Matrix x = random_matrix(9, 6, 1);
  const Matrix b = random_matrix(13, 40, 2);  // [k, n]
  F32Matrix packed(13, 40);
  packed.set_rows(5, b.view().row_range(5, 8));
  packed.set_rows(0, b.view().row_range(0, 5));
  for (const std::size_t stride : {6U, 12U}) {
    const std::size_t rows = stride == 6 ? 7 : 4;
    Matrix y(rows, 40);
    gemm({ConstMatrixView{x.flat().data(), rows, 13, stride}, packed}, y.view());
    std::vector<double> expected;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < 40; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < 13; ++k)
          sum += static_cast<double>(x.flat()[stride * r + k]) * static_cast<double>(b.row(k)[c]);
        expected.push_back(sum);
      }
    }
    CHECK(nmse(y.flat(), expected) < kBlasNmse);
  }
}

TEST_CASE("blas: the same bits however many work on a product") {
  if (is_missing()) return;
  const WithBlas blas;
  const Matrix x = random_matrix(300, 384, 1);
  const Matrix w = random_matrix(1300, 384, 2);
  ThreadPool one(1);
  const PackedB b = pack_weights(one, w.view(), DataType::f32);
  Matrix expected(300, 1300);
  gemm(one, {x.view(), b}, expected.view());
  for (const std::size_t threads : {2U, 5U}) {
    ThreadPool pool(threads);
    Matrix y(300, 1300);
    gemm(pool, {x.view(), b}, y.view());
    CHECK(std::ranges::equal(y.flat(), expected.flat()));
  }
}
