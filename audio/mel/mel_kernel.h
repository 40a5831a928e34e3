// The arithmetic of log-mel for a group of frames at once: samples to log10 of mel power.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "audio/mel/mel_filters.h"
#include "models/base/tensor.h"

namespace wnpu::audio {

// Frames that are computed together, one in each SIMD lane (AVX-512 has 16 of them; narrower
// machines take several rounds).
inline constexpr std::size_t kGroupFrames = 16;
// Samples under one group: 15 hops and a window.
inline constexpr std::size_t kGroupSamples = (kGroupFrames - 1) * kHopSamples + kFftSize;

// The DFT of 400 real samples as 16 x 25 (Cooley-Tukey), n = 25 n1 + n2, k = k1 + 16 k2:
//   X[k] = sum over n2 of W25^(n2 k2) * W400^(n2 k1) * (sum over n1 of W16^(n1 k1) * x[n])
// with W_N = exp(-2 pi i / N). k1 > 8 is not needed: X[400 - k] is the conjugate of X[k].
inline constexpr std::size_t kRadix1 = 16;
inline constexpr std::size_t kRadix2 = 25;
inline constexpr std::size_t kHalf1 = kRadix1 / 2 + 1;

struct Complex {
  float re = 0;
  float im = 0;
};

// Constants, computed in double precision and rounded once.
struct MelTables {
  explicit MelTables(std::size_t n_mels);

  std::array<float, kFftSize> window{};                        // Hann, periodic
  std::array<std::array<Complex, kHalf1>, kRadix1> dft1{};     // [n1][k1] W16^(n1 k1)
  std::array<std::array<Complex, kHalf1>, kRadix2> twiddle{};  // [n2][k1] W400^(n2 k1)
  std::array<std::array<Complex, kRadix2>, kRadix2> dft2{};    // [n2][k2] W25^(n2 k2)
  std::vector<MelFilter> filters;
};

// out[m, f] = log10(max(mel power m of the frame at samples[160 f .. 160 f + 400), 1e-10)) for
// kGroupFrames frames; samples.size() = kGroupSamples. The same bits for a frame in any place of a
// group, whatever the SIMD width; machines with and without FMA differ in the last bits.
void log_mel_group(const MelTables& tables, std::span<const float> samples, models::MatrixView out);

}  // namespace wnpu::audio
