// Plan hybrid: the four matrix products of a layer on the NPU, one call each; LayerNorm, attention
// and GELU on the CPU in fp32. States live on the host, so each product costs a copy in and out.
// Where memory is limited, so do the weights of layers whose turn it is not.
#pragma once

#include <memory>
#include <vector>

#include "encoder/npu/npu_layer_backend.h"
#include "models/base/thread_pool.h"

namespace wnpu::encoder {

class NpuHybridBackend : public LayerBackend {
 public:
  // `device` and `pool` must outlive the backend. Throws std::invalid_argument for int8: its rows
  // are quantised by the array's LayerNorm, which is not used here.
  NpuHybridBackend(npu::Device& device, const models::Dims& dims,
                   const models::EncoderWeights& weights, models::ThreadPool& pool,
                   const NpuOptions& options = {});

  std::size_t n_layers() const override { return weights_.layers(); }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  std::span<std::byte> states_of(npu::Buffer& buffer) {
    return buffer.host().first(geometry_.states_bytes);
  }
  void product(npu::Gemm which, std::size_t layer);
  void normalise();
  void gelu();
  void attend();
  void attend_head(std::size_t head);
  void write(npu::ScratchPart part, const models::Matrix& rows);
  void read(npu::ScratchPart part, models::Matrix& rows);

  models::ThreadPool& pool_;
  NpuOptions options_;
  npu::LayerGeometry geometry_;
  std::vector<std::unique_ptr<npu::Program>> programs_;  // by npu::Gemm
  npu::DeviceBuffers buffers_;  // weights, then input, scratch and output of each layer
  LayerWeightBuffers weights_;
  // Buffers of the layer at hand. Input and output may be one: none of the four products has both.
  npu::Buffer* input_ = nullptr;
  npu::Buffer* scratch_ = nullptr;
  npu::Buffer* output_ = nullptr;
  kernels::LayerNorm plain_norm_;   // gamma and beta are in the packed weights
  models::Matrix states_, normed_;  // [frames, width]
  models::Matrix query_, key_, value_, attended_;
  models::Matrix hidden_;               // [frames, hidden]
  std::vector<models::Matrix> scores_;  // a head: [kScoreRows, frames]
};

}  // namespace wnpu::encoder
