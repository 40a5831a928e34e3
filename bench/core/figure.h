// Figures of a result: never without where they are from; of several runs with their spread.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

struct TimingEffort {
  std::size_t samples = 5;
  // A sample repeats the work until it lasts this long: a clock tick is then nothing beside it.
  double least_sample_s = 2e-3;
};

// Seconds of one call, after one that warms up and tells how often a sample repeats the work.
Summary time_calls(const std::function<void()>& work, const TimingEffort& effort = {});

// Measured here and now, modelled by the simulator, or published by others.
enum class Origin { kMeasured, kModelled, kPublished };
inline constexpr std::array<std::string_view, 3> kOriginNames{"measured", "modelled", "published"};

std::string name_of(Origin origin);

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Figure {
  std::string name;  // "encoder per window"
  std::string unit;  // "s", "x", "bytes", "J", "tokens"; empty: a ratio
  Origin origin = Origin::kMeasured;
  double value = 0;             // of several runs the median
  std::optional<Summary> runs;  // where there were several
  // Labels that tell it from others of its name: {"plan", "fused"}, {"frames", "1500"}.
  Labels labels;
  std::string note;  // what a reader must know, or the source of a published figure
};

Figure figure_of_value(std::string name, std::string unit, double value, Labels labels = {},
                       std::string note = "");
// The median, with the summary of all runs. times is not empty.
Figure figure_of_runs(std::string name, std::string unit, std::span<const double> values);

}  // namespace wnpu::bench
