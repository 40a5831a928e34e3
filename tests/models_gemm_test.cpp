// Products with a packed right side against fp64.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include "models/elementwise.h"
#include "models/gemm.h"
#include "models/half_floats.h"
#include "tests/difference.h"
#include "tests/product_shapes.h"
#include "tests/random_matrix.h"

using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::identity;
using wnpu::tests::kProductShapes;
using wnpu::tests::nmse;
using wnpu::tests::random_matrix;
using wnpu::tests::random_vector;

namespace {

// fp32 sums of a few hundred products against fp64: about 1e-7 a term, squared and averaged.
constexpr double kFp32Nmse = 1e-12;

double gelu_reference(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

// finish(a w^T + bias) over y in fp64.
std::vector<double> reference(const Product& p, const Matrix& w, const Matrix& y) {
  std::vector<double> result;
  for (std::size_t r = 0; r < p.a.rows; ++r) {
    for (std::size_t c = 0; c < w.rows(); ++c) {
      double sum = p.bias.empty() ? 0.0 : static_cast<double>(p.bias[c]);
      for (std::size_t k = 0; k < w.cols(); ++k) {
        sum += static_cast<double>(p.a.row(r)[k]) * static_cast<double>(w.row(c)[k]);
      }
      if (p.finish == Finish::gelu) sum = gelu_reference(sum);
      if (p.finish == Finish::add) sum += static_cast<double>(y.row(r)[c]);
      result.push_back(sum);
    }
  }
  return result;
}

// Values that are fp16 numbers, so that both storages hold them exactly.
Matrix random_halves(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix m = random_matrix(rows, cols, seed);
  std::vector<std::uint16_t> halves(m.size());
  narrow_f16(m.flat(), halves);
  widen_f16(std::as_bytes(std::span(halves)), m.flat());
  return m;
}

void check_all_shapes() {
  ThreadPool pool(2);
  for (const auto& [m, n, k] : kProductShapes) {
    const Matrix a = random_matrix(m, k, 1);
    const Matrix w = random_halves(n, k, 2);
    const auto bias = random_vector(n, 3);
    for (const Storage storage : {Storage::fp32, Storage::fp16}) {
      const PackedMatrix b = pack_weights(pool, w.view(), storage);
      REQUIRE(b.storage() == storage);
      for (const Finish finish : {Finish::replace, Finish::gelu, Finish::add}) {
        for (const bool with_bias : {false, true}) {
          Matrix y = random_matrix(m, n, 4);
          const Product product{a.view(), b, with_bias ? bias : std::span<const float>(), finish};
          const auto expected = reference(product, w, y);
          gemm(product, y.view());
          CHECK_MESSAGE(nmse(y.flat(), expected) < kFp32Nmse, m, " x ", n, " x ", k);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("gemm: agrees with fp64 for every shape, storage, bias, finish and instruction set") {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    CAPTURE(std::string(hwy::TargetName(target)));
    CHECK(elementwise::target_name() == hwy::TargetName(target));
    check_all_shapes();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("gemm: memory beside the result stays as it is") {
  ThreadPool pool(1);
  const Matrix a = random_matrix(7, 20, 1);
  const PackedMatrix b = pack_weights(pool, random_matrix(37, 20, 2).view(), Storage::fp32);
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

TEST_CASE("gemm: a row's bits depend neither on the rows beside it nor on threads") {
  const Matrix a = random_matrix(100, 384, 1);
  const Matrix w = random_halves(700, 384, 2);
  for (const Storage storage : {Storage::fp32, Storage::fp16}) {
    ThreadPool one(1);
    const PackedMatrix b = pack_weights(one, w.view(), storage);
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
  for (const Storage storage : {Storage::fp32, Storage::fp16}) {
    PackedMatrix by_rows(13, 70, storage);
    by_rows.set_rows(5, b.view().row_range(5, 8));
    by_rows.set_rows(0, b.view().row_range(0, 5));
    PackedMatrix by_columns(13, 70, storage);
    by_columns.set_columns(9, transposed.view().row_range(9, 61));
    by_columns.set_columns(0, transposed.view().row_range(0, 9));
    for (const PackedMatrix* packed : {&by_rows, &by_columns}) {
      Matrix found(13, 70);
      gemm(Product{identity(13).view(), *packed, {}}, found.view());
      CHECK(std::ranges::equal(found.flat(), b.flat()));
    }
  }
}

TEST_CASE("pack_weights: one value that is no fp16 number keeps the matrix in fp32") {
  ThreadPool pool(2);
  Matrix w = random_halves(200, 30, 6);
  CHECK(pack_weights(pool, w.view(), Storage::fp16).storage() == Storage::fp16);
  w.row(150)[7] = 0.1F;
  CHECK(pack_weights(pool, w.view(), Storage::fp16).storage() == Storage::fp32);
  w.row(150)[7] = 1e6F;
  CHECK(pack_weights(pool, w.view(), Storage::fp16).storage() == Storage::fp32);
}

TEST_CASE("pack_side_by_side: is the products one after the other, scaled") {
  ThreadPool pool(2);
  const Linear first{random_matrix(20, 12, 1), random_vector(20, 2)};
  const Linear second{random_matrix(9, 12, 3), {}};
  const PackedLinear both = pack_side_by_side(pool, {{first, 0.5F}, {second}}, Storage::fp32);
  const Matrix x = random_matrix(4, 12, 4);
  Matrix y(4, 29);
  gemm({x.view(), both.weight, both.bias}, y.view());
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 29; ++c) {
      const Linear& part = c < 20 ? first : second;
      const std::size_t row = c < 20 ? c : c - 20;
      double sum = part.bias.empty() ? 0.0 : static_cast<double>(part.bias[row]);
      for (std::size_t k = 0; k < 12; ++k) {
        sum += static_cast<double>(x.row(r)[k]) * static_cast<double>(part.weight.row(row)[k]);
      }
      CHECK(y.row(r)[c] == doctest::Approx(c < 20 ? sum / 2 : sum).epsilon(1e-5));
    }
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
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    CAPTURE(std::string(hwy::TargetName(target)));
    std::vector<float> wide(halves.size());
    widen_f16(std::as_bytes(std::span(halves)), wide);
    std::vector<std::uint16_t> back(halves.size());
    narrow_f16(wide, back);
    CHECK(back == halves);
    std::vector<std::uint16_t> rounded(between.size());
    narrow_f16(between, rounded);
    CHECK(rounded == nearest);
  }
  hwy::SetSupportedTargetsForTest(0);
}
