// The triangular mel filters of openai/whisper (its mel_filters.npz), computed from their
// definition: librosa.filters.mel(sr=16000, n_fft=400, n_mels), which is Slaney's scale and area
// normalisation.
#pragma once

#include <cstddef>
#include <vector>

namespace wnpu::audio {

// openai/whisper audio.py N_FFT and HOP_LENGTH: 25 ms windows every 10 ms at 16 kHz.
inline constexpr std::size_t kFftSize = 400;
inline constexpr std::size_t kHopSamples = 160;
inline constexpr std::size_t kBins = kFftSize / 2 + 1;  // 0 to 8 kHz in steps of 40 Hz

// The bins where one filter is not zero: they follow one another.
struct MelFilter {
  std::size_t first_bin = 0;
  std::vector<float> weights;
};

// `n_mels` filters from 0 to 8 kHz, lowest first; 80, or 128 from large-v3 on.
std::vector<MelFilter> mel_filters(std::size_t n_mels);

}  // namespace wnpu::audio
