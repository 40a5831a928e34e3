// Any input as a stream of mono samples at 16 kHz: decode, mix, resample. Memory does not grow with
// the length of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/read/converter.h"
#include "audio/read/decoder.h"
#include "audio/read/input.h"
#include "audio/read/input_file.h"

namespace wnpu::audio {

class PcmReader {
 public:
  PcmReader(std::unique_ptr<Decoder> decoder, std::string name, const SampleRange& range = {});

  // Writes the next samples, steps of 2^-15 from -1.0 up, as openai-whisper has them; returns how
  // many. 0 is the end. Throws AudioError for damage that leaves no sense (NaN, infinity), and
  // where the range begins at the end or behind it.
  std::size_t read(std::span<float> out);

  const PcmInfo& info() const { return decoder_->info(); }
  // Without the input's name. Complete once read() gave 0.
  std::vector<std::string> warnings() const;

 private:
  bool refill();
  void skip();
  void check(const PcmBlock& block);

  std::unique_ptr<Decoder> decoder_;
  std::string name_;
  double read_s_ = 0;                   // of the input
  float loudest_ = 0;                   // of floating-point samples
  std::optional<Converter> converter_;  // for blocks such as the last one
  std::vector<std::int16_t> samples_;   // converted
  std::size_t at_ = 0;                  // first one not yet handed out
  SampleRange range_;
  std::uint64_t n_skipped_ = 0;     // before it
  std::uint64_t n_handed_out_ = 0;  // of it
  bool at_end_ = false;
};

// Throws AudioError, with path, expected and found, where there is no audio to be had.
std::unique_ptr<PcmReader> open_pcm(const Input& input);
std::unique_ptr<PcmReader> open_pcm(const InputFile& file);

}  // namespace wnpu::audio
