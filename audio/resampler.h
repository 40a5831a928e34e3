// Sample rate conversion in a stream: soxr at its HQ setting (20 bits, linear phase), with the pass
// band of ffmpeg's own resampler, through which openai-whisper hears every file (and through which
// its models were trained).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

struct soxr;

namespace wnpu::audio {

class Resampler {
 public:
  // Mono, rates in Hz.
  Resampler(int from_rate, int to_rate);

  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };
  // Takes from `in`, writes to `out`, as much of both as it can.
  Step process(std::span<const float> in, std::span<float> out);
  // After the last process(): what the filter still holds. 0 when all is out.
  std::size_t flush(std::span<float> out);

 private:
  struct Delete {
    void operator()(soxr* state) const;
  };
  std::unique_ptr<soxr, Delete> state_;
};

}  // namespace wnpu::audio
