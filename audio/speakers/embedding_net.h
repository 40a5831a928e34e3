// CAM++ (https://arxiv.org/abs/2303.00332): a voice as a vector. A convolution over time and
// frequency, then a densely connected network over time whose layers are gated by what stands
// around a frame.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "audio/speakers/state_dict.h"
#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

class EmbeddingNet {
 public:
  static constexpr std::size_t kSize = 192;
  static constexpr std::size_t kLeastFrames = 8;
  using Embedding = std::array<float, kSize>;

  // Throws ModelError.
  explicit EmbeddingNet(const StateDict& weights);

  // Voice of `frames` [kLeastFrames or more, 80], which have mean 0 (Fbank, less the mean of the
  // frames). On one thread.
  Embedding embed(models::ConstMatrixView frames) const;

 private:
  // Convolution of 3 x 3 over planes (front_planes.h): a product for each of three neighbours in
  // time; each sees three neighbours in frequency.
  struct PlaneConvolution {
    std::array<kernels::Linear, 3> taps;
    std::size_t stride = 1;  // over frequencies
  };
  struct ResidualBlock {
    PlaneConvolution first, second;
    kernels::Linear shortcut;  // none where the stride is 1
  };
  struct DenseLayer {
    ChannelAffine norm;
    kernels::Linear narrow;                // [channels, 128]
    std::array<kernels::Linear, 3> local;  // [128, 32], by tap
    kernels::Linear context, gate;         // [128, 64], [64, 32]
  };
  struct DenseBlock {
    std::size_t channels = 0;  // that it is given
    std::size_t dilation = 1;
    std::vector<DenseLayer> layers;
    ChannelAffine norm;       // before the transit
    kernels::Linear transit;  // to half of the channels; none after the last block
  };
  struct Planes;

  static PlaneConvolution load_planes(const StateDict& weights, const std::string& conv,
                                      const std::string& norm, std::size_t in, std::size_t stride);
  void load_front(const StateDict& weights);
  static DenseLayer load_layer(const StateDict& weights, const std::string& name, std::size_t in);
  void load_blocks(const StateDict& weights);

  static void convolve(const PlaneConvolution& conv, const Planes& x, Planes& y, bool adds);
  static Planes apply(const ResidualBlock& block, const Planes& x);
  models::Matrix front(models::ConstMatrixView frames) const;
  static void apply(const DenseLayer& layer, std::size_t dilation, std::size_t channels,
                    models::MatrixView x);
  Embedding pool(models::ConstMatrixView x) const;

  kernels::Linear first_;  // [9, 32]
  std::array<ResidualBlock, 4> residuals_;
  PlaneConvolution last_;
  kernels::Linear time_delay_;  // [5 * 320, 128]
  std::vector<DenseBlock> blocks_;
  ChannelAffine out_norm_;
  kernels::Linear dense_;  // [1024, 192]
};

}  // namespace wnpu::audio
