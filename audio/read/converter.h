// Frames of any type, channels and rate to 16-bit mono at 16 kHz, by libswresample: bit for bit
// what `ffmpeg -ac 1 -ar 16000 -f s16le` gives, through which openai-whisper hears every file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "audio/read/decoder.h"

struct SwrContext;

namespace wnpu::audio {

// openai/whisper audio.py SAMPLE_RATE.
inline constexpr int kSampleRate = 16000;

class Converter {
 public:
  // `name` is the input's, for errors. Throws AudioError where libswresample is missing or refuses.
  Converter(const PcmLayout& layout, std::string name);

  const PcmLayout& layout() const { return layout_; }
  // Adds to `out`. `block` must have layout().
  void convert(const PcmBlock& block, std::vector<std::int16_t>& out);
  // Adds what the filter still holds.
  void flush(std::vector<std::int16_t>& out);

 private:
  struct Delete {
    void operator()(SwrContext* state) const;
  };
  using State = std::unique_ptr<SwrContext, Delete>;

  State open(bool by_mean) const;
  void add(const std::uint8_t* const* planes, std::size_t n_frames, std::vector<std::int16_t>& out);

  PcmLayout layout_;
  std::string name_;
  State state_;  // empty where the frames are mono at 16 kHz, in 16 bits or floats
  bool is_float_ = false;
};

}  // namespace wnpu::audio
