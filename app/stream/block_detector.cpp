#include "app/stream/block_detector.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wnpu::app {
namespace {

// Quieter than this (-60 dB of full scale) is silence whatever the noise is.
constexpr double kQuiet = 1e-3;
// Speech is this much louder than the noise: 10 dB.
constexpr double kAboveNoise = 3.2;
// The floor follows what is quieter at once, and rises by 6 dB in 7 s of what is louder.
constexpr double kRise = 1.0032;

}  // namespace

BlockDetector::BlockDetector(const std::filesystem::path& weights) {
  if (!weights.empty()) silero_.emplace(weights);
}

double BlockDetector::speech(std::span<const std::int16_t> block) {
  std::vector<float> samples(block.size());
  std::ranges::transform(block, samples.begin(),
                         [](std::int16_t sample) { return static_cast<float>(sample) * 0x1p-15F; });
  if (!silero_) return by_loudness(samples);
  silero_->push(samples);
  const auto probabilities = silero_->take();
  return probabilities.empty() ? 0.0 : static_cast<double>(probabilities.back());
}

double BlockDetector::by_loudness(std::span<const float> block) {
  double sum = 0;
  for (const float sample : block) sum += static_cast<double>(sample) * static_cast<double>(sample);
  const double rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(block.size(), 1)));
  floor_ = floor_ == 0 ? std::max(std::min(rms, kQuiet), 1e-6)
                       : std::max(std::min(rms, floor_ * kRise), 1e-6);
  return rms > std::max(kQuiet, floor_ * kAboveNoise) ? 1.0 : 0.0;
}

}  // namespace wnpu::app
