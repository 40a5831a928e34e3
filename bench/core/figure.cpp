#include "bench/core/figure.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <numeric>

namespace wnpu::bench {
namespace {

double seconds_of(const std::function<void()>& work, std::size_t calls) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < calls; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(calls);
}

}  // namespace

double percentile(std::span<const double> values, double percent) {
  assert(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

double median(std::span<const double> values) { return percentile(values, 50); }

Summary summarize(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.size(),  percentile(values, 0),  percentile(values, 10),
          median(values), percentile(values, 90), sum / static_cast<double>(values.size())};
}

std::vector<double> pair_ratios(std::span<const double> times, std::span<const double> base) {
  assert(times.size() == base.size());
  std::vector<double> ratios(times.size());
  std::transform(times.begin(), times.end(), base.begin(), ratios.begin(),
                 [](double time, double of) { return time / of; });
  return ratios;
}

Summary time_calls(const std::function<void()>& work, const TimingEffort& effort) {
  constexpr double kClockTick = 1e-7;
  constexpr std::size_t kMostCalls = 1'000'000;
  // The second call is the first with warm caches and pages.
  work();
  const double once = std::max(seconds_of(work, 1), kClockTick);
  const auto calls = std::min(
      kMostCalls, static_cast<std::size_t>(std::ceil(std::max(1.0, effort.least_sample_s / once))));
  std::vector<double> samples(effort.samples);
  for (double& sample : samples) sample = seconds_of(work, calls);
  return summarize(samples);
}

std::string name_of(Origin origin) {
  return std::string(kOriginNames[static_cast<std::size_t>(origin)]);
}

Figure figure_of_value(std::string name, std::string unit, double value, Labels labels,
                       std::string note) {
  return {std::move(name),   std::move(unit), Origin::kMeasured, value, {},
          std::move(labels), std::move(note)};
}

Figure figure_of_runs(std::string name, std::string unit, std::span<const double> values) {
  const Summary runs = summarize(values);
  Figure figure = figure_of_value(std::move(name), std::move(unit), runs.median);
  figure.runs = runs;
  return figure;
}

}  // namespace wnpu::bench
