// The front of CAM++: convolutions of 3 x 3 over time and frequency, in two residual stages.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "audio/speakers/layers.h"
#include "audio/speakers/state_dict.h"
#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

class EmbeddingFront {
 public:
  static constexpr std::size_t kBands = 80;
  static constexpr std::size_t kPlanes = 32;  // channels
  static constexpr std::size_t kLastBands = kBands / 8;
  static constexpr std::size_t kWidth = kLastBands * kPlanes;
  static constexpr std::size_t kEdge = 2;

  EmbeddingFront(const StateDict& weights, kernels::DataType number);

  // Frames of kWidth values, band by band, with kEdge of zeros at both ends.
  models::Matrix apply(models::ConstMatrixView frames) const;

 private:
  // A product for each of three neighbours in time; each sees three neighbours in frequency.
  struct Convolution {
    std::array<kernels::Linear, 3> taps;
    std::size_t stride = 1;  // over frequencies
  };
  struct ResidualBlock {
    Convolution first, second;
    kernels::Linear shortcut;  // none where the stride is 1
  };
  struct FrameRange;
  class Planes;

  Convolution load(const StateDict& weights, const std::string& conv, const std::string& norm,
                   std::size_t stride) const;
  Planes first(models::ConstMatrixView frames) const;
  static void convolve(const Convolution& conv, const Planes& x, FrameRange of,
                       models::MatrixView out, bool adds);
  // `values` are those of x as floats where the block has no shortcut; they become those of what it
  // returns.
  Planes apply(const ResidualBlock& block, const Planes& x, models::Matrix& values) const;

  kernels::DataType number_;
  kernels::Linear first_;  // [9, 32]
  std::array<ResidualBlock, 4> residuals_;
  Convolution last_;
};

}  // namespace wnpu::audio
