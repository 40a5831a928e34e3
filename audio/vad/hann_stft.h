// Magnitudes of the DFT of 256 samples under a periodic Hann window, many frames at once, on the
// widest SIMD instructions of the machine.
//
// Sums over m and 256 - m share their cosine, and their sine but for its sign; so do bins k and
// 128 - k, where m is even, and but for the sign where it is odd:
//   s[m] = x[m] + x[256 - m],  d[m] = x[m] - x[256 - m],  m = 1 .. 128
//   |X[k]|, |X[128 - k]| = |cos_even(s) +- cos_odd(s) - i (sin_odd(d) +- sin_even(d))|,  k <= 64
// Four products with [64, 65] in place of one with [256, 258]: a quarter of the multiplications.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "models/base/tensor.h"
#include "models/kernels/operands/packed_b.h"

namespace wnpu::audio {

class HannStft {
 public:
  static constexpr std::size_t kSize = 256;
  static constexpr std::size_t kBins = kSize / 2 + 1;

  // Frames at once.
  explicit HannStft(std::size_t max_frames);

  // Sets frame `i`: 256 samples.
  void set_frame(std::size_t i, std::span<const float> samples);
  // out[n, 129] of frames 0 .. n - 1.
  void magnitudes(models::MatrixView out);

  // The weights of X[k] = sum over n of (re + i im) x[n].
  struct Weight {
    double re, im;
  };
  static Weight weight(std::size_t k, std::size_t n);

 private:
  static constexpr std::size_t kParts = 4;
  struct Part {
    kernels::PackedB weights;  // [64, 65]
    models::Matrix sums;       // [max_frames, 65]
  };

  models::Matrix folded_;           // [max_frames, 4 * 64]: s of odd m, of even m, d likewise
  std::array<Part, kParts> parts_;  // of these
};

}  // namespace wnpu::audio
