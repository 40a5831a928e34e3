// Costs of rows, estimated from a sample, and the choice of the sample's rows.
#include "app/commands/plan/row_cost.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <doctest/doctest.h>

using namespace wnpu::app;

namespace {

std::vector<double> log_normal_costs(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> duration(3, 1);
  std::vector<double> durations(n);
  for (double& each : durations) each = std::clamp(duration(random), 0.1, 1800.0);
  return durations;
}

}  // namespace

TEST_CASE("row size: windows of 30 s, at least one") {
  CHECK(RowSize::of(0.01).windows == 1);
  CHECK(RowSize::of(30).windows == 1);
  CHECK(RowSize::of(30.01).windows == 2);
  CHECK(RowSize::of(1800).windows == 60);
}

TEST_CASE("row cost: what rows without noise are made of is found, without a spread") {
  for (const auto& truth : {std::pair{0.5, 0.02}, {0.5, 0.0}, {0.0, 0.02}, {3.0, 1.0}}) {
    const double window = truth.first;
    const double second = truth.second;
    CAPTURE(window);
    CAPTURE(second);
    std::vector<MeasuredRow> rows;
    for (const double duration : {2.0, 11.0, 29.0, 31.0, 200.0}) {
      rows.push_back({duration, window * RowSize::of(duration).windows + second * duration});
    }
    const RowCost cost = RowCost::of(rows);
    CHECK(cost.window_s == doctest::Approx(window).epsilon(1e-6));
    CHECK(cost.second_s == doctest::Approx(second).epsilon(1e-6));
    CHECK(cost.spread < 1e-6);
    CHECK(cost.work_s({10, 100}) == doctest::Approx(10 * window + 100 * second));
  }
}

TEST_CASE("row cost: never below 0, whatever the sample") {
  const std::vector<std::vector<MeasuredRow>> samples = {
      {{5, 1}},                       // one row
      {{5, 1}, {5, 1}},               // of one length
      {{5, 1}, {5, 2}, {5, 3}},       //
      {{2, 3}, {15, 2}, {30, 1}},     // longer ones cost less
      {{2, 0.01}, {15, 2}, {30, 9}},  // more than their length
      {{2, 0}, {15, 0}, {30, 0}}};
  for (const auto& rows : samples) {
    const RowCost cost = RowCost::of(rows);
    CHECK(cost.window_s >= 0);
    CHECK(cost.second_s >= 0);
    CHECK(std::isfinite(cost.work_s({1, 30})));
    CHECK(cost.spread >= 0);
    CHECK(std::isfinite(cost.spread));
  }
  CHECK(RowCost::of(samples[0]).work_s({1, 5}) == doctest::Approx(1));
}

TEST_CASE("row cost: the spread is the standard deviation around the line, by the mean") {
  const std::vector<MeasuredRow> rows = {{30, 0.9}, {30, 1.1}, {60, 1.8}, {60, 2.2}};
  CHECK(RowCost::of(rows).spread == doctest::Approx(0.1));
}

TEST_CASE("sample: rows of the job, each once, in order, the same each time") {
  for (const std::size_t n : {1U, 2U, 5U, 100U, 5000U}) {
    const std::vector<double> durations = log_normal_costs(n, n);
    for (const std::size_t size : {1U, 3U, 16U, 99U}) {
      const std::vector<std::size_t> sample = sample_rows(durations, size);
      CHECK(sample.size() == std::min<std::size_t>(size, n));
      CHECK(std::ranges::is_sorted(sample));
      CHECK(std::set(sample.begin(), sample.end()).size() == sample.size());
      CHECK(sample.back() < n);
      CHECK(sample == sample_rows(durations, size));
    }
  }
}

TEST_CASE("sample: long rows and short ones, as they share the work") {
  std::vector<double> durations(1000, 3.0);
  for (std::size_t i = 0; i < 10; ++i) durations[i * 100] = 1500;  // 50 windows each: a third
  const std::vector<std::size_t> sample = sample_rows(durations, 15);
  const auto n_long =
      std::ranges::count_if(sample, [&](std::size_t row) { return durations[row] > 1000; });
  CHECK(n_long >= 3);
  CHECK(n_long <= 6);
  // One row that is nearly all of the work does not leave the others out.
  std::vector<double> uneven(100, 3.0);
  uneven[50] = 1e6;
  CHECK(sample_rows(uneven, 8).size() == 8);
}
