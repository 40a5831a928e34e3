// Log-mel in fp64 straight from its definition, for comparison. Slow: a naive DFT.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace wnpu::tests {

// Slaney's mel scale, inverse.
inline double mel_edge_hz(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * std::pow(6.4, (mel - 15) / 27);
}

// The weight of mel filter `m` of `n_mels` at `bin` (40 Hz each).
inline double mel_weight(std::size_t n_mels, std::size_t m, std::size_t bin) {
  const double top = 15 + 27 * std::log(8.0) / std::log(6.4);  // 8 kHz
  const double step = top / static_cast<double>(n_mels + 1);
  const auto edge = [step](std::size_t i) { return mel_edge_hz(static_cast<double>(i) * step); };
  const double hz = 40.0 * static_cast<double>(bin);
  const double rising = (hz - edge(m)) / (edge(m + 1) - edge(m));
  const double falling = (edge(m + 2) - hz) / (edge(m + 2) - edge(m + 1));
  return std::max(0.0, std::min(rising, falling)) * 2 / (edge(m + 2) - edge(m));
}

// Sample i of the audio with its mirror image before and silence after it.
inline double padded_sample(std::span<const float> audio, long i) {
  const auto at = static_cast<std::size_t>(i < 0 ? -i : i);
  return at < audio.size() ? static_cast<double>(audio[at]) : 0.0;
}

// Power of the 201 bins of frame `frame`.
inline std::vector<double> reference_power(std::span<const float> audio, std::size_t frame) {
  std::vector<double> power(201);
  for (std::size_t k = 0; k < power.size(); ++k) {
    double re = 0;
    double im = 0;
    for (std::size_t n = 0; n < 400; ++n) {
      const double hann = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(n) / 400);
      const long i = static_cast<long>(160 * frame + n) - 200;
      const double angle = 2 * std::numbers::pi * static_cast<double>(k * n % 400) / 400;
      re += hann * padded_sample(audio, i) * std::cos(angle);
      im -= hann * padded_sample(audio, i) * std::sin(angle);
    }
    power[k] = re * re + im * im;
  }
  return power;
}

// log10 of the mel powers of one frame, not below -10.
inline std::vector<double> reference_log_mel(std::span<const float> audio, std::size_t n_mels,
                                             std::size_t frame) {
  const auto power = reference_power(audio, frame);
  std::vector<double> mels(n_mels);
  for (std::size_t m = 0; m < n_mels; ++m) {
    double sum = 0;
    for (std::size_t k = 0; k < power.size(); ++k) sum += mel_weight(n_mels, m, k) * power[k];
    mels[m] = std::log10(std::max(sum, 1e-10));
  }
  return mels;
}

}  // namespace wnpu::tests
