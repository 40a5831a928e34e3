// A part of every layer's heads and hidden columns on one NPU: two calls a layer, each its own
// submission, since the host adds the parts up in between.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "encoder/npu/npu_layer_backend.h"

namespace wnpu::encoder {

// The two residual blocks of a layer.
enum class Half { attention, mlp };

class NpuPartialLayers {
 public:
  // Packs the part's weights and sends them to the device, which must outlive this. Throws
  // DeviceError where the device cannot, or the plan is not fused.
  NpuPartialLayers(npu::Device& device, const models::Dims& dims,
                   const models::EncoderWeights& weights, const npu::LayerPart& part,
                   const NpuOptions& options = {});

  std::size_t n_layers() const { return weights_.size(); }

  // Its share of what the half adds to the states: `sum` becomes that, both [n_frames,
  // n_audio_state]. The shares of all parts, biases included once, are the whole.
  void run_half(std::size_t layer, Half half, models::ConstMatrixView states,
                models::MatrixView sum);

 private:
  npu::Device& device_;
  NpuOptions options_;
  npu::LayerGeometry geometry_;
  std::array<std::unique_ptr<npu::Program>, 2> programs_;  // by Half
  std::vector<std::unique_ptr<npu::Buffer>> weights_;      // packed, one a layer
  std::unique_ptr<npu::Buffer> input_, scratch_, output_;
};

}  // namespace wnpu::encoder
