// Probability of speech in each 32 ms: by the Silero network, or by loudness where its weights are
// not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "audio/vad/silero_vad.h"

namespace wnpu::app {

class BlockDetector {
 public:
  // Empty: by loudness. Throws ModelError.
  explicit BlockDetector(const std::filesystem::path& weights);

  bool is_by_loudness() const { return !silero_; }
  // Probability of speech in the next 512 samples.
  double speech(std::span<const std::int16_t> block);

 private:
  double by_loudness(std::span<const float> block);

  std::optional<audio::SileroVad> silero_;
  double floor_ = 0;  // of noise: RMS; 0: nothing was heard yet
};

}  // namespace wnpu::app
