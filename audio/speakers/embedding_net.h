// CAM++ (https://arxiv.org/abs/2303.00332): a voice as a vector. A convolution over time and
// frequency, then a densely connected network over time whose layers are gated by what stands
// around a frame.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "audio/speakers/embedding_front.h"
#include "audio/speakers/layers.h"
#include "audio/speakers/state_dict.h"
#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

class EmbeddingNet {
 public:
  static constexpr std::size_t kSize = 192;
  static constexpr std::size_t kLeastFrames = 8;
  using Embedding = std::array<float, kSize>;

  // Large products are in `number`: f32 or u8. Throws ModelError.
  explicit EmbeddingNet(const StateDict& weights, kernels::DataType number = quick_number());

  // Voice of `frames` [kLeastFrames or more, 80], which have mean 0 (Fbank, less the mean of the
  // frames). On one thread.
  Embedding embed(models::ConstMatrixView frames) const;

 private:
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

  DenseLayer load_layer(const StateDict& weights, const std::string& name, std::size_t in) const;
  void load_blocks(const StateDict& weights);

  static void apply(const DenseLayer& layer, std::size_t dilation, std::size_t channels,
                    models::MatrixView x);
  Embedding pool(models::ConstMatrixView x) const;

  kernels::DataType number_;
  EmbeddingFront front_;
  kernels::Linear time_delay_;  // [5 * 320, 128]
  std::vector<DenseBlock> blocks_;
  ChannelAffine out_norm_;
  kernels::Linear dense_;  // [1024, 192]
};

}  // namespace wnpu::audio
