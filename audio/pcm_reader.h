// Any input as a stream of mono float samples at 16 kHz: decode, downmix, resample. Memory does not
// grow with the length of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/decoder.h"
#include "audio/input.h"
#include "audio/input_file.h"
#include "audio/resampler.h"

namespace wnpu::audio {

// openai/whisper audio.py SAMPLE_RATE.
inline constexpr int kSampleRate = 16000;

class PcmReader {
 public:
  PcmReader(std::unique_ptr<Decoder> decoder, std::string name);

  // Writes the next samples, full scale 1.0, all finite; returns how many. 0 is the end.
  // Throws AudioError for damage that leaves no sense (NaN, infinity, changing rate).
  std::size_t read(std::span<float> out);

  const PcmInfo& info() const { return decoder_->info(); }
  // Complete once read() gave 0.
  const std::vector<std::string>& warnings() const { return decoder_->warnings(); }

 private:
  std::size_t read_native(std::span<float> out);
  std::size_t resample(std::span<float> out);

  std::unique_ptr<Decoder> decoder_;
  std::string name_;
  std::uint64_t n_read_ = 0;            // samples at the native rate
  std::optional<Resampler> resampler_;  // empty at 16 kHz
  std::vector<float> block_;            // native samples for the resampler
  std::span<const float> pending_;      // part of block_ that it has not taken yet
  bool at_end_ = false;
};

// Throws AudioError, with path, expected and found, where there is no audio to be had.
std::unique_ptr<PcmReader> open_pcm(const Input& input);
std::unique_ptr<PcmReader> open_pcm(const InputFile& file);

}  // namespace wnpu::audio
