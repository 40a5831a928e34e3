#include "app/engine/speakers/channel_levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wnpu::app {
namespace {

constexpr std::size_t kSamples = 320;  // 20 ms
constexpr double kLevelsPerSecond = 50;
constexpr double kLeastDecibels = -127;  // nothing in 16 bits is quieter
constexpr double kSteps = 2;             // a decibel

std::uint8_t level_of(double power) {
  const double decibels = 10 * std::log10(std::max(power, 1e-13));
  return static_cast<std::uint8_t>(std::clamp((decibels - kLeastDecibels) * kSteps, 0.0, 255.0));
}

double mean_of(std::span<const std::uint8_t> levels) {
  if (levels.empty()) return 0;
  const auto sum = std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(levels.size());
}

}  // namespace

void ChannelLevels::add(std::span<const float> pcm) {
  for (const float sample : pcm) {
    sum_ += static_cast<double>(sample) * sample;
    if (++n_ < kSamples) continue;
    levels_.push_back(level_of(sum_ / kSamples));
    total_ += sum_;
    sum_ = 0;
    n_ = 0;
  }
}

std::span<const std::uint8_t> ChannelLevels::between(double begin, double end) const {
  const auto place = [&](double seconds) {
    const auto last = static_cast<double>(levels_.size());
    return static_cast<std::size_t>(std::clamp(seconds * kLevelsPerSecond, 0.0, last));
  };
  const std::size_t first = place(begin);
  return std::span(levels_).subspan(first, std::max(place(end), first) - first);
}

double ChannelLevels::mean(double begin, double end) const { return mean_of(between(begin, end)); }

double ChannelLevels::correlation(const ChannelLevels& a, const ChannelLevels& b, double begin,
                                  double end) {
  const auto x = a.between(begin, end);
  const auto y = b.between(begin, end);
  const std::size_t n = std::min(x.size(), y.size());
  const double x_mean = mean_of(x.first(n));
  const double y_mean = mean_of(y.first(n));
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double from_x = x[i] - x_mean;
    const double from_y = y[i] - y_mean;
    xx += from_x * from_x;
    yy += from_y * from_y;
    xy += from_x * from_y;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace wnpu::app
