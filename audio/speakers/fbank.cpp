#include "audio/speakers/fbank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "audio/read/converter.h"
#include "audio/speakers/layers.h"
#include "models/kernels/products/gemm.h"

namespace wnpu::audio {
namespace {

constexpr std::size_t kFft = 512;
constexpr std::size_t kFftBins = kFft / 2;  // the last one, 8 kHz, is in no band
constexpr double kPreemphasis = 0.97;
constexpr double kLowest = 20;  // Hz

double mel_of(double hertz) { return 1127 * std::log(1 + hertz / 700); }

std::vector<double> povey_window() {
  std::vector<double> window(Fbank::kFrameSamples);
  for (std::size_t n = 0; n < window.size(); ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(n) / (Fbank::kFrameSamples - 1);
    window[n] = std::pow(0.5 - 0.5 * std::cos(angle), 0.85);
  }
  return window;
}

// Weights of a frame's samples in one part of one bin.
void weigh_samples(std::size_t bin, bool is_real, std::span<const double> window,
                   std::span<float> out) {
  std::array<double, Fbank::kFrameSamples + 1> weights{};
  for (std::size_t n = 0; n < Fbank::kFrameSamples; ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(bin * n % kFft) / kFft;
    weights[n] = window[n] * (is_real ? std::cos(angle) : -std::sin(angle));
  }
  // A sample less 0.97 of the one before it; the first less 0.97 of itself.
  weights[0] *= 1 - kPreemphasis;
  double mean = 0;
  for (std::size_t n = 0; n < Fbank::kFrameSamples; ++n) {
    weights[n] -= kPreemphasis * weights[n + 1];
    mean += weights[n] / Fbank::kFrameSamples;
  }
  for (std::size_t n = 0; n < Fbank::kFrameSamples; ++n)
    out[n] = static_cast<float>(weights[n] - mean);
}

}  // namespace

Fbank::Fbank() {
  models::Matrix weights(2 * kFftBins, kFrameSamples);
  const std::vector<double> window = povey_window();
  for (std::size_t i = 0; i < 2 * kFftBins; ++i)
    weigh_samples(i % kFftBins, i < kFftBins, window, weights.row(i));
  spectrum_ = pack(std::move(weights), {});
  const double low = mel_of(kLowest);
  const double step = (mel_of(kSampleRate / 2) - low) / (kBands + 1);
  for (std::size_t m = 0; m < kBands; ++m) {
    const double left = low + static_cast<double>(m) * step;
    Band band;
    for (std::size_t bin = 1; bin < kFftBins; ++bin) {
      const double mel = mel_of(static_cast<double>(bin) * kSampleRate / kFft);
      const double weight = std::min(mel - left, left + 2 * step - mel) / step;
      if (weight <= 0) continue;
      if (band.weights.empty()) band.first_bin = bin;
      band.weights.push_back(static_cast<float>(weight));
    }
    bands_.push_back(std::move(band));
  }
}

void Fbank::mel_row(std::span<const float> spectrum, std::span<float> out) const {
  std::array<float, kFftBins> power{};
  for (std::size_t bin = 0; bin < kFftBins; ++bin) {
    const float re = spectrum[bin];
    const float im = spectrum[kFftBins + bin];
    power[bin] = re * re + im * im;
  }
  for (std::size_t m = 0; m < kBands; ++m) {
    float sum = 0;
    for (std::size_t i = 0; i < bands_[m].weights.size(); ++i)
      sum += bands_[m].weights[i] * power[bands_[m].first_bin + i];
    out[m] = std::log(std::max(sum, std::numeric_limits<float>::epsilon()));
  }
}

models::Matrix Fbank::compute(std::span<const float> pcm) const {
  constexpr std::size_t kRowsAtOnce = 128;
  const std::size_t n_frames = frames_in(pcm.size());
  models::Matrix out(n_frames, kBands);
  models::Matrix spectra(std::min(n_frames, kRowsAtOnce), 2 * kFftBins);
  for (std::size_t first = 0; first < n_frames; first += kRowsAtOnce) {
    const std::size_t n = std::min(kRowsAtOnce, n_frames - first);
    const models::ConstMatrixView frames{pcm.data() + first * kHop, n, kFrameSamples, kHop};
    kernels::gemm({frames, spectrum_.weight, {}}, spectra.view().row_range(0, n));
    for (std::size_t i = 0; i < n; ++i) mel_row(spectra.row(i), out.row(first + i));
  }
  return out;
}

}  // namespace wnpu::audio
