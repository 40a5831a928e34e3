// The sample is that of the rows, not of the order or the threads that brought them.
#include "models/quantize/input_sample.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/random_matrix.h"

using namespace wnpu::models;
using namespace wnpu::tests;

TEST_CASE("input sample: the same rows in any order, by any threads") {
  const Matrix rows = random_matrix(400, 6, 1);
  InputSample forwards(50);
  forwards.see(rows.view());
  InputSample backwards(50);
  for (std::size_t r = 400; r-- > 0;) backwards.see(rows.view().row_range(r, 1));
  InputSample by_threads(50);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t r = t; r < 400; r += 4) by_threads.see(rows.view().row_range(r, 1));
      });
    }
  }
  const Matrix expected = forwards.rows();
  CHECK(expected.rows() == 50);
  CHECK(std::ranges::equal(backwards.rows().flat(), expected.flat()));
  CHECK(std::ranges::equal(by_threads.rows().flat(), expected.flat()));
}

TEST_CASE("input sample: all rows where there are few, equal ones once, what is no number never") {
  Matrix rows = random_matrix(10, 3, 2);
  std::ranges::copy(rows.row(0), rows.row(5).begin());
  rows.row(7)[1] = std::numeric_limits<float>::infinity();
  rows.row(8)[2] = std::numeric_limits<float>::quiet_NaN();
  InputSample sample(50);
  CHECK(sample.rows().rows() == 0);
  sample.see(rows.view());
  sample.see(rows.view());
  CHECK(sample.rows().rows() == 7);
}

TEST_CASE("input sample: early and late rows have the same chance") {
  InputSample sample(200);
  constexpr std::size_t kRows = 4000;
  Matrix row(1, 4);
  for (std::size_t r = 0; r < kRows; ++r) {
    std::ranges::copy(random_vector(3, r + 1), row.row(0).begin());
    row.row(0)[3] = r < kRows / 2 ? 0.0F : 1.0F;
    sample.see(row.view());
  }
  const Matrix taken = sample.rows();
  std::size_t n_late = 0;
  for (std::size_t r = 0; r < taken.rows(); ++r) n_late += taken.row(r)[3] > 0 ? 1 : 0;
  CHECK(n_late > 70);
  CHECK(n_late < 130);
}
