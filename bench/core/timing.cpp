#include "bench/core/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace wnpu::bench {
namespace {

double seconds_of(const std::function<void()>& work, std::size_t calls) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < calls; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(calls);
}

}  // namespace

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

}  // namespace wnpu::bench
