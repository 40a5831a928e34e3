// Plan per-op: a call for every row of a LayerNorm, every row and head of attention and every 512
// elements of GELU; matrix products on the CPU. It gives right results and shows why one call a
// row cannot be fast: thousands of launches a layer.
#pragma once

#include <memory>
#include <vector>

#include "encoder/npu/npu_layer_backend.h"
#include "models/base/thread_pool.h"

namespace wnpu::encoder {

class NpuRowBackend : public LayerBackend {
 public:
  // All arguments must outlive the backend. Throws std::invalid_argument for int8.
  NpuRowBackend(npu::Device& device, const models::Dims& dims,
                const models::EncoderWeights& weights, models::ThreadPool& pool,
                const NpuOptions& options = {});

  std::size_t n_layers() const override { return layers_.size(); }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  // A program, and its buffers, which the calls share: one is done before the next begins.
  struct RowCall {
    std::unique_ptr<npu::Program> program;
    npu::Buffer* input = nullptr;
    npu::Buffer* output = nullptr;
  };
  // Sends `row` as bf16, runs, and gives the result's first elements back into `row`. `keys` may be
  // null.
  void run_row(RowCall& call, std::span<float> row, npu::Buffer* keys);
  void normalise(const kernels::LayerNorm& norm);
  void attend();
  void attend_head(std::size_t head);
  void send_keys(std::size_t head);
  void gelu();

  models::ThreadPool& pool_;
  std::span<const models::EncoderLayerWeights> layers_;
  NpuOptions options_;
  std::size_t heads_;
  npu::LayerGeometry head_geometry_;  // of one head: how keys and values are laid out
  RowCall norm_, attend_, gelu_;
  npu::DeviceBuffers buffers_;
  npu::Buffer* keys_ = nullptr;
  std::size_t keys_bytes_ = 0;
  std::vector<std::byte> head_scratch_;
  models::Matrix states_, normed_, query_, key_, value_, attended_;  // [frames, width]
  models::Matrix hidden_;                                            // [frames, hidden]
};

}  // namespace wnpu::encoder
