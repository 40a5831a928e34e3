// The way from an input's bytes to frames of log-mel, once.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "audio/mel/log_mel.h"
#include "audio/mel/mel_frames.h"
#include "audio/read/input_file.h"
#include "audio/read/pcm_reader.h"

namespace wnpu::audio {

// Wall clock, of all passes.
struct MelTimings {
  double decode_s = 0;  // bytes to 16 kHz mono
  double mel_s = 0;     // samples to frames and windows; beside the reading: waiting for frames
};

class MelPass {
 public:
  // `timings` must outlive the pass. Throws AudioError.
  MelPass(const InputFile& file, std::size_t n_mels, MelTimings& timings);

  // The next samples; none at the end.
  std::span<const float> read();
  // Appends every frame that `samples` make certain; no samples means that the audio is over.
  void compute(std::span<const float> samples, MelFrames& frames);

  const PcmReader& reader() const { return *reader_; }
  // Maximum of all frames so far, log10 power.
  float maximum() const;

 private:
  void take_maxima(models::ConstMatrixView group);

  MelTimings& timings_;
  LogMelStream mel_;
  std::array<float, kGroupFrames> maxima_{};  // a place in a group; as many as fit SIMD lanes
  std::vector<float> block_;
  std::unique_ptr<PcmReader> reader_;
};

}  // namespace wnpu::audio
