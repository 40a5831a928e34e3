// How loud a channel is, from moment to moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wnpu::app {

class ChannelLevels {
 public:
  // Next samples, mono, 16 kHz. Memory: 50 bytes a second.
  void add(std::span<const float> pcm);
  // Mean of begin .. end, in seconds, of half decibels above 2^-21.
  double mean(double begin, double end) const;
  // Pearson correlation of both channels' levels from begin to end: near 1 where one is heard in
  // the other, near 0 where each has its own speech.
  static double correlation(const ChannelLevels& a, const ChannelLevels& b, double begin,
                            double end);
  // Sum over the whole, to tell which channel has the most sound.
  double total() const { return total_; }

 private:
  std::span<const std::uint8_t> between(double begin, double end) const;

  std::vector<std::uint8_t> levels_;  // of 20 ms each
  double sum_ = 0;                    // of squares
  std::size_t n_ = 0;                 // samples in it
  double total_ = 0;
};

}  // namespace wnpu::app
