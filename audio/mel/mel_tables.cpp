#include <cmath>
#include <numbers>

#include "audio/mel/mel_kernel.h"

namespace wnpu::audio {
namespace {

// exp(-2 pi i numerator / denominator)
Complex root_of_unity(std::size_t numerator, std::size_t denominator) {
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(numerator % denominator) /
                       static_cast<double>(denominator);
  return {static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))};
}

}  // namespace

MelTables::MelTables(std::size_t n_mels) : filters(mel_filters(n_mels)) {
  for (std::size_t n = 0; n < kFftSize; ++n) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(n) / kFftSize;
    window[n] = static_cast<float>(0.5 - 0.5 * std::cos(angle));
  }
  for (std::size_t k1 = 0; k1 < kHalf1; ++k1) {
    for (std::size_t n1 = 0; n1 < kRadix1; ++n1) dft1[n1][k1] = root_of_unity(n1 * k1, kRadix1);
    for (std::size_t n2 = 0; n2 < kRadix2; ++n2) twiddle[n2][k1] = root_of_unity(n2 * k1, kFftSize);
  }
  for (std::size_t n2 = 0; n2 < kRadix2; ++n2) {
    for (std::size_t k2 = 0; k2 < kRadix2; ++k2) dft2[n2][k2] = root_of_unity(n2 * k2, kRadix2);
  }
}

}  // namespace wnpu::audio
