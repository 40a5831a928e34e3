// Costs of rows, estimated from a sample, and the choice of the sample's rows.
#include "app/commands/plan/row_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "app/commands/plan/job_sample.h"

using namespace wnpu::app;

namespace {

std::vector<double> log_normal_costs(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> duration(3, 1);
  std::vector<double> durations(n);
  for (double& each : durations) each = std::clamp(duration(random), 0.1, 1800.0);
  return durations;
}

double row_windows(std::span<const double> durations) {
  return std::accumulate(durations.begin(), durations.end(), 0.0, [](double sum, double duration) {
    return sum + RowSize::of(duration).windows;
  });
}

}  // namespace

TEST_CASE("row size: windows of 30 s, at least one") {
  CHECK(RowSize::of(0.01).windows == 1);
  CHECK(RowSize::of(30).windows == 1);
  CHECK(RowSize::of(30.01).windows == 2);
  CHECK(RowSize::of(1800).windows == 60);
}

TEST_CASE("row cost: what rows without noise are made of is found, and no error") {
  for (const auto& truth : {std::pair{0.5, 0.02}, {0.5, 0.0}, {0.0, 0.02}, {3.0, 1.0}}) {
    const double window = truth.first;
    const double second = truth.second;
    CAPTURE(window);
    CAPTURE(second);
    std::vector<MeasuredRow> rows;
    for (const double duration : {2.0, 11.0, 29.0, 31.0, 200.0}) {
      rows.push_back({duration, window * RowSize::of(duration).windows + second * duration});
    }
    const RowCost cost(rows);
    CHECK(cost.window_s() == doctest::Approx(window).epsilon(1e-6));
    CHECK(cost.second_s() == doctest::Approx(second).epsilon(1e-6));
    REQUIRE(cost.has_errors());
    CHECK(cost.mean_error_s({1000, 20000}) < 1e-6);
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
    const RowCost cost(rows);
    CHECK(cost.window_s() >= 0);
    CHECK(cost.second_s() >= 0);
    CHECK(std::isfinite(cost.work_s({1, 30})));
    CHECK(cost.has_errors() == (rows.size() > 1));
    CHECK(cost.mean_error_s({10, 200}) >= 0);
  }
  CHECK(RowCost(samples[0]).work_s({1, 5}) == doctest::Approx(1));
}

TEST_CASE("row cost: of 95 % intervals about as many hold what all rows together take") {
  int n_held = 0;
  constexpr int kJobs = 400;
  for (int job = 0; job < kJobs; ++job) {
    const std::vector<double> durations = log_normal_costs(300, static_cast<std::uint64_t>(job));
    std::mt19937_64 random(static_cast<std::uint64_t>(job) + 1000);
    std::normal_distribution<double> noise(0, 0.1);
    std::vector<double> work;
    for (const double duration : durations) {
      const double windows = RowSize::of(duration).windows;
      work.push_back(0.4 * windows + 0.01 * duration + noise(random) * windows);
    }
    std::vector<MeasuredRow> rows;
    for (const std::size_t row : stratified_sample(durations, 12)) {
      rows.push_back({durations[row], work[row]});
    }
    const RowCost cost(rows);
    const RowSize sum = {row_windows(durations),
                         std::accumulate(durations.begin(), durations.end(), 0.0)};
    double squares = 0;
    for (const double duration : durations) squares += std::pow(RowSize::of(duration).windows, 2);
    const double half =
        cost.quantile() * std::hypot(cost.mean_error_s(sum), cost.own_error_s(squares));
    const double truth = std::accumulate(work.begin(), work.end(), 0.0);
    if (std::abs(cost.work_s(sum) - truth) <= half) ++n_held;
  }
  CHECK(n_held >= kJobs * 0.91);
  CHECK(n_held <= kJobs * 0.995);
}

TEST_CASE("sample: rows of the job, each once, in order, the same each time") {
  for (const std::size_t n : {1U, 2U, 5U, 100U, 5000U}) {
    const std::vector<double> durations = log_normal_costs(n, n);
    for (const std::size_t size : {1U, 3U, 16U, 99U}) {
      const std::vector<std::size_t> sample = stratified_sample(durations, size);
      CHECK(sample.size() == std::min<std::size_t>(size, n));
      CHECK(std::ranges::is_sorted(sample));
      CHECK(std::set(sample.begin(), sample.end()).size() == sample.size());
      CHECK(sample.back() < n);
      CHECK(sample == stratified_sample(durations, size));
    }
  }
}

TEST_CASE("sample: long rows and short ones, as they share the work") {
  std::vector<double> durations(1000, 3.0);
  for (std::size_t i = 0; i < 10; ++i) durations[i * 100] = 1500;  // 50 windows each: a third
  const std::vector<std::size_t> sample = stratified_sample(durations, 15);
  const auto n_long =
      std::ranges::count_if(sample, [&](std::size_t row) { return durations[row] > 1000; });
  CHECK(n_long >= 3);
  CHECK(n_long <= 6);
  // One row that is nearly all of the work does not leave the others out.
  std::vector<double> uneven(100, 3.0);
  uneven[50] = 1e6;
  CHECK(stratified_sample(uneven, 8).size() == 8);
}
