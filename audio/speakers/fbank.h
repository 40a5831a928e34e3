// Log mel energies as Kaldi computes them (feature-fbank, window "povey"), of 16 kHz samples from
// -1 to 1: what CAM++ hears. Window, pre-emphasis, the removal of the mean and the DFT are all
// linear, and so one product with [400, 512].
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

class Fbank {
 public:
  static constexpr std::size_t kBands = 80;
  static constexpr std::size_t kFrameSamples = 400;
  static constexpr std::size_t kHop = 160;

  Fbank();

  // Frames that lie wholly in so many samples.
  static std::size_t frames_in(std::size_t n_samples) {
    return n_samples < kFrameSamples ? 0 : (n_samples - kFrameSamples) / kHop + 1;
  }
  // [frames_in(pcm.size()), 80], not normalised.
  models::Matrix compute(std::span<const float> pcm) const;

 private:
  struct Band {
    std::size_t first_bin = 0;
    std::vector<float> weights;
  };

  void mel_row(std::span<const float> spectrum, std::span<float> out) const;

  kernels::Linear spectrum_;  // [400, 512]: real parts of bins 0 to 255, then imaginary ones
  std::vector<Band> bands_;
};

}  // namespace wnpu::audio
