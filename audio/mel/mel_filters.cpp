#include "audio/mel/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace wnpu::audio {
namespace {

constexpr double kBinHz = 16000.0 / kFftSize;

// Slaney's scale (Auditory Toolbox, 1998; librosa.mel_to_hz with htk=False): linear with 3 mel in
// 200 Hz up to 1 kHz = 15 mel, then 27 mel for each factor of 6.4.
constexpr double kBreakHz = 1000.0;
constexpr double kBreakMel = 15.0;

double mel_to_hz(double mel) {
  if (mel < kBreakMel) return mel * 200.0 / 3.0;
  return kBreakHz * std::exp((mel - kBreakMel) * std::log(6.4) / 27.0);
}

double hz_to_mel(double hz) {
  if (hz < kBreakHz) return hz * 3.0 / 200.0;
  return kBreakMel + std::log(hz / kBreakHz) * 27.0 / std::log(6.4);
}

// A triangle from `low` over `centre` to `high` (Hz), with unit area in Hz.
MelFilter triangle(double low, double centre, double high) {
  MelFilter filter;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double hz = static_cast<double>(bin) * kBinHz;
    const double height = std::min((hz - low) / (centre - low), (high - hz) / (high - centre));
    if (height <= 0) continue;
    if (filter.weights.empty()) filter.first_bin = bin;
    filter.weights.push_back(static_cast<float>(height * 2.0 / (high - low)));
  }
  return filter;
}

}  // namespace

std::vector<MelFilter> mel_filters(std::size_t n_mels) {
  const double step = hz_to_mel(8000.0) / static_cast<double>(n_mels + 1);
  const auto edge = [step](std::size_t i) { return mel_to_hz(static_cast<double>(i) * step); };
  std::vector<MelFilter> filters;
  filters.reserve(n_mels);
  for (std::size_t m = 0; m < n_mels; ++m) {
    filters.push_back(triangle(edge(m), edge(m + 1), edge(m + 2)));
  }
  return filters;
}

}  // namespace wnpu::audio
