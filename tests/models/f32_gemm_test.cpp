// Products in fp32, with a right side in fp32 or fp16, against fp64.
#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/half_floats.h"
#include "models/weights/pack_weights.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/product_reference.h"
#include "tests/support/product_shapes.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::check_linear;
using wnpu::tests::identity;
using wnpu::tests::kProductShapes;
using wnpu::tests::nmse;
using wnpu::tests::on_every_instruction_set;
using wnpu::tests::product_reference;
using wnpu::tests::random_matrix;

namespace {

// fp32 sums of a few hundred products against fp64: about 1e-7 a term, squared and averaged.
constexpr double kGemmNmse = 1e-12;

// Values that are fp16 numbers, so that both storages hold them exactly.
Matrix random_halves(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix m = random_matrix(rows, cols, seed);
  std::vector<std::uint16_t> halves(m.size());
  narrow_f16(m.flat(), halves);
  widen_f16(std::as_bytes(std::span(halves)), m.flat());
  return m;
}

}  // namespace

TEST_CASE("f32 gemm: agrees with fp64 for every shape, bias, finish and instruction set") {
  on_every_instruction_set([] { check_linear(DataType::f32, kGemmNmse); });
}

TEST_CASE("f16 gemm: is the product of the same numbers in fp32, on every instruction set") {
  on_every_instruction_set([] {
    ThreadPool pool(2);
    for (const auto& [m, n, k] : kProductShapes) {
      const Matrix a = random_matrix(m, k, 1);
      const Matrix w = random_halves(n, k, 2);
      Matrix wide(m, n);
      gemm({a.view(), pack_weights(pool, w.view(), DataType::f32)}, wide.view());
      const PackedB b = pack_weights(pool, w.view(), DataType::f16);
      REQUIRE(b.number() == DataType::f16);
      Matrix half(m, n);
      gemm({a.view(), b}, half.view());
      CHECK(std::ranges::equal(half.flat(), wide.flat()));
    }
  });
}

TEST_CASE("f32 gemm: memory beside the result stays as it is") {
  ThreadPool pool(1);
  const Matrix a = random_matrix(7, 20, 1);
  const PackedB b = pack_weights(pool, random_matrix(37, 20, 2).view(), DataType::f32);
  for (const Finish finish : {Finish::replace, Finish::gelu, Finish::add}) {
    Matrix around(9, 45);
    for (float& v : around.flat()) v = 77;
    gemm({a.view(), b, {}, finish}, around.view().row_range(1, 7).col_range(4, 37));
    for (std::size_t r = 0; r < around.rows(); ++r) {
      for (std::size_t c = 0; c < around.cols(); ++c) {
        const bool inside = r >= 1 && r < 8 && c >= 4 && c < 41;
        if (!inside) REQUIRE(around.row(r)[c] == 77);
      }
    }
  }
}

TEST_CASE("f32 gemm: a row's bits depend neither on the rows beside it nor on threads") {
  constexpr std::size_t kDepth = 384 / wnpu::tests::kSampleShare;
  const Matrix a = random_matrix(100, kDepth, 1);
  const Matrix w = random_halves(700, kDepth, 2);
  for (const DataType number : {DataType::f32, DataType::f16}) {
    ThreadPool one(1);
    const PackedB b = pack_weights(one, w.view(), number);
    Matrix expected(100, 700);
    gemm({a.view(), b, {}}, expected.view());
    for (const std::size_t threads : {1U, 2U, 5U}) {
      ThreadPool pool(threads);
      for (const std::size_t rows : {1U, 2U, 3U, 4U, 5U, 7U, 20U, 100U}) {
        Matrix y(rows, 700);
        gemm(pool, {a.view().row_range(0, rows), b, {}}, y.view());
        CHECK(std::equal(y.flat().begin(), y.flat().end(), expected.flat().begin()));
      }
    }
  }
}

TEST_CASE("packed matrix: columns and rows come back, whatever is set first") {
  const Matrix b = random_halves(13, 70, 5);  // [k, n]
  Matrix transposed(70, 13);
  for (std::size_t k = 0; k < 13; ++k) {
    for (std::size_t n = 0; n < 70; ++n) transposed.row(n)[k] = b.row(k)[n];
  }
  for (const DataType number : {DataType::f32, DataType::f16}) {
    F32Matrix by_rows(13, 70, number);
    by_rows.set_rows(5, b.view().row_range(5, 8));
    by_rows.set_rows(0, b.view().row_range(0, 5));
    F32Matrix by_columns(13, 70, number);
    by_columns.set_columns(9, transposed.view().row_range(9, 61));
    by_columns.set_columns(0, transposed.view().row_range(0, 9));
    for (const PackedB* packed : {&by_rows, &by_columns}) {
      Matrix found(13, 70);
      gemm(Product{identity(13).view(), *packed, {}}, found.view());
      CHECK(std::ranges::equal(found.flat(), b.flat()));
    }
  }
}

TEST_CASE("pack_weights: one value that is no fp16 number keeps the matrix in fp32") {
  ThreadPool pool(2);
  Matrix w = random_halves(200, 30, 6);
  CHECK(pack_weights(pool, w.view(), DataType::f16).number() == DataType::f16);
  w.row(150)[7] = 0.1F;
  CHECK(pack_weights(pool, w.view(), DataType::f16).number() == DataType::f32);
  w.row(150)[7] = 1e6F;
  CHECK(pack_weights(pool, w.view(), DataType::f16).number() == DataType::f32);
}

TEST_CASE("pack_linear: is the products one after the other, scaled, whatever the numbers") {
  ThreadPool pool(2);
  const LinearWeights first = wnpu::tests::random_linear(20, 12, 1);
  const LinearWeights second{random_matrix(9, 12, 3), {}};
  const Matrix x = random_matrix(4, 12, 4);
  const auto of_first = product_reference(x.view(), first, Matrix(), Finish::replace);
  const auto of_second = product_reference(x.view(), second, Matrix(), Finish::replace);
  std::vector<double> expected;
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 20; ++c) expected.push_back(of_first[20 * r + c] / 2);
    for (std::size_t c = 0; c < 9; ++c) expected.push_back(of_second[9 * r + c]);
  }
  for (const auto& [number, max_nmse] : {std::pair{DataType::f32, kGemmNmse},
                                         {DataType::i16, 1e-7},
                                         {DataType::i8, 3e-4},
                                         {DataType::u8, 3e-4}}) {
    const Linear both = pack_linear(pool, number, {{first, 0.5F}, {second}});
    Linear::Scratch scratch(number, 4, 12);
    Matrix y(4, 29);
    both.apply(pool, x.view(), Finish::replace, y.view(), scratch);
    CHECK(nmse(y.flat(), expected) < max_nmse);
  }
}

TEST_CASE("narrow_f16: undoes widen_f16 for every finite half, and rounds, on every target") {
  std::vector<std::uint16_t> halves;
  for (unsigned h = 0; h < 0x10000U; ++h) {
    if ((h & 0x7c00U) != 0x7c00U) halves.push_back(static_cast<std::uint16_t>(h));
  }
  const std::vector<float> between = {
      1.0F + 0x1p-11F, 1.0F + 0x1.8p-11F, 0x1p-25F, -0x1.8p-25F, 0x1p-14F - 0x1p-26F,
      65519.0F,        -65520.0F,         1e6F,     -1e-30F};
  const std::vector<std::uint16_t> nearest = {0x3c00, 0x3c01, 0x0000, 0x8001, 0x0400,
                                              0x7bff, 0xfc00, 0x7c00, 0x8000};
  on_every_instruction_set([&] {
    std::vector<float> wide(halves.size());
    widen_f16(std::as_bytes(std::span(halves)), wide);
    std::vector<std::uint16_t> back(halves.size());
    narrow_f16(wide, back);
    CHECK(back == halves);
    std::vector<std::uint16_t> rounded(between.size());
    narrow_f16(between, rounded);
    CHECK(rounded == nearest);
  });
}
