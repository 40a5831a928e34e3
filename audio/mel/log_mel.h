// Samples in, frames of log10 mel power out, in a stream; and the normalisation that turns a whole
// file's frames into what the encoder eats. Together they are openai/whisper audio.py
// log_mel_spectrogram with its 30 s of zeros after the audio.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "audio/mel/mel_kernel.h"
#include "models/base/tensor.h"

namespace wnpu::audio {

// Log10 power of silence: audio.py's clamp at 1e-10.
inline constexpr float kLeastLogPower = -10.0F;

// Frame f stands for the samples 160 f - 200 .. 160 f + 199: torch.stft(center=True). Before the
// first sample lies its mirror image (reflect padding), after the last one silence.
class LogMelStream {
 public:
  explicit LogMelStream(std::size_t n_mels);

  void push(std::span<const float> samples);
  // The audio is over: silence follows, enough for every frame that still touches audio.
  void finish();
  // True when the next kGroupFrames frames are certain.
  bool has_group() const;
  // Writes them, [n_mels, kGroupFrames], as log10 power, not below -10. has_group() must be true.
  void pop_group(models::MatrixView out);

 private:
  void mirror_start();

  MelTables tables_;
  std::vector<float> pending_;  // samples from the next frame's first one on
  std::size_t popped_ = 0;      // samples at the front of pending_ that no frame needs any more
  bool is_mirrored_ = false;    // pending_ begins with the reflect padding
};

// out = (max(log10_power, maximum - 8) + 4) / 4, where `maximum` is over the whole file
// (audio.py log_mel_spectrogram).
void normalise(std::span<const float> log10_power, float maximum, std::span<float> out);

}  // namespace wnpu::audio
