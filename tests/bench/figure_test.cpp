#include "bench/core/figure.h"

#include <vector>

#include <doctest/doctest.h>

using namespace wnpu::bench;

TEST_CASE("stats: percentiles lie linearly between values, in any order of these") {
  const std::vector<double> values = {40, 10, 30, 20};
  CHECK(median(values) == 25.0);
  CHECK(percentile(values, 0) == 10.0);
  CHECK(percentile(values, 100) == 40.0);
  CHECK(percentile(values, 10) == doctest::Approx(13));  // numpy.percentile
  CHECK(percentile(values, 90) == doctest::Approx(37));
  CHECK(median(std::vector<double>{5}) == 5.0);
}

TEST_CASE("stats: a summary names the runs, the minimum and the spread") {
  const Summary summary = summarize(std::vector<double>{1.0, 1.1, 1.2, 1.3, 1.4, 1.5});
  CHECK(summary.runs == 6);
  CHECK(summary.min == 1.0);
  CHECK(summary.median == doctest::Approx(1.25));
  CHECK(summary.spread() == doctest::Approx(1.45 / 1.05));
  CHECK(summary.spread() > kQuietSpread);
  CHECK(summary.mean == doctest::Approx(1.25));
}

TEST_CASE("stats: ratios are taken pair by pair, so that a slow spell of both does not show") {
  const std::vector<double> ours = {1, 3, 1};
  const std::vector<double> theirs = {2, 6, 2};
  CHECK(pair_ratios(ours, theirs) == std::vector<double>{0.5, 0.5, 0.5});
}
