#include "bench/core/stats.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace wnpu::bench {

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

}  // namespace wnpu::bench
