// Products with rows that lie anywhere; the reference is fp64.
#include "models/kernels/vectors/gathered_rows.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "models/kernels/vectors/half_floats.h"
#include "tests/support/difference.h"
#include "tests/support/random_matrix.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr double kNmse = 1e-12;

// Rows of a matrix, some of them twice, behind each other and not.
std::vector<std::uint32_t> some_rows(std::size_t n, std::size_t of) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back(static_cast<std::uint32_t>(i * i * 7 % of));
  return rows;
}

}  // namespace

TEST_CASE("gathered rows: dot products and weighted sums agree with fp64, at every size") {
  const models::Matrix m = tests::random_matrix(50, 200, 1);
  for (const std::size_t cols : {64U, 8U, 3U, 75U, 130U}) {
    for (const std::size_t n : {1U, 3U, 4U, 37U}) {
      const auto rows = some_rows(n, m.rows());
      const kernels::GatheredRows gathered{m.view().col_range(60, cols), rows};
      const auto x = tests::random_vector(cols, 2);
      const auto weights = tests::random_vector(n, 3);
      std::vector<double> dots(n);
      std::vector<double> sums(cols);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < cols; ++c) {
          const auto value = static_cast<double>(gathered.of.row(rows[i])[c]);
          dots[i] += static_cast<double>(x[c]) * value;
          sums[c] += static_cast<double>(weights[i]) * value;
        }
      }
      std::vector<float> out(n);
      kernels::dot_rows(x, gathered, out);
      CHECK_MESSAGE(tests::nmse(out, dots) < kNmse, cols, " columns, ", n, " rows");
      std::vector<float> added(cols);
      kernels::add_up_rows(weights, gathered, added);
      CHECK_MESSAGE(tests::nmse(added, sums) < kNmse, cols, " columns, ", n, " rows");
    }
  }
}

TEST_CASE("gathered rows: fp16 gives what its values give in fp32") {
  models::Matrix m = tests::random_matrix(50, 200, 1);
  std::vector<std::uint16_t> halves(m.flat().size());
  kernels::narrow_f16(m.flat(), halves);
  kernels::widen_f16(std::as_bytes(std::span(halves)), m.flat());
  for (const std::size_t cols : {64U, 3U, 75U, 130U}) {
    for (const std::size_t n : {1U, 4U, 37U}) {
      const auto rows = some_rows(n, m.rows());
      const kernels::GatheredRows floats{m.view().col_range(60, cols), rows};
      const kernels::GatheredHalves gathered{halves.data() + 60, m.cols(), cols, rows};
      const auto x = tests::random_vector(cols, 2);
      std::vector<float> out(n);
      std::vector<float> expected(n);
      kernels::dot_rows(x, gathered, out);
      kernels::dot_rows(x, floats, expected);
      CHECK(out == expected);
      const auto weights = tests::random_vector(n, 3);
      std::vector<float> added(cols);
      std::vector<float> expected_sums(cols);
      kernels::add_up_rows(weights, gathered, added);
      kernels::add_up_rows(weights, floats, expected_sums);
      CHECK(added == expected_sums);
    }
  }
}

TEST_CASE("gathered rows: no row, no sum") {
  const models::Matrix m = tests::random_matrix(2, 64, 1);
  std::vector<float> out(64, 1.0F);
  kernels::add_up_rows({}, {m.view(), {}}, out);
  for (const float v : out) CHECK(v == 0.0F);
}
