// Statistics of repeated measurements.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wnpu::bench {

// Linear between the two nearest values, as numpy.percentile; values is not empty.
double percentile(std::span<const double> values, double percent);
double median(std::span<const double> values);

struct Summary {
  std::size_t runs = 0;
  double min = 0;
  double p10 = 0;
  double median = 0;
  double p90 = 0;
  double mean = 0;

  // p90 / p10: what a quiet machine keeps under kQuietSpread.
  double spread() const { return p90 / p10; }
};

inline constexpr double kQuietSpread = 1.15;

Summary summarize(std::span<const double> values);

// times[i] / base[i] of runs that were made one after the other (A B A B), so that what disturbs
// the machine for longer than a run disturbs both. Equally many of both.
std::vector<double> pair_ratios(std::span<const double> times, std::span<const double> base);

}  // namespace wnpu::bench
