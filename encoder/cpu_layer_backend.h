// The transformer layers on the CPU, fp32.
#pragma once

#include "encoder/layer_backend.h"
#include "models/dims.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::encoder {

class CpuLayerBackend : public LayerBackend {
 public:
  // `weights` and `pool` must outlive the backend.
  CpuLayerBackend(const models::Dims& dims, const models::EncoderWeights& weights,
                  models::ThreadPool& pool);

  std::string_view name() const override { return "cpu"; }
  std::size_t n_layers() const override { return weights_.layers.size(); }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  // states_ += out(softmax(q k^T / sqrt(head size)) v) of the normalised states.
  void attention(const models::EncoderLayerWeights& w);
  void attention_block(std::size_t head, std::size_t first_row, std::size_t thread);
  // states_ += fc2(gelu(fc1(normalised states))).
  void mlp(const models::EncoderLayerWeights& w);

  const models::EncoderWeights& weights_;
  models::ThreadPool& pool_;
  std::size_t n_head_;
  models::Matrix states_;               // [n_audio_ctx, n_audio_state], the residual stream
  models::Matrix normed_;               // [n_audio_ctx, n_audio_state]
  models::Matrix q_, k_, v_, wv_;       // [n_audio_ctx, n_audio_state] each, heads side by side
  models::Matrix hidden_;               // [n_audio_ctx, 4 n_audio_state]
  std::vector<models::Matrix> scores_;  // a thread: [query rows of a block, n_audio_ctx]
};

}  // namespace wnpu::encoder
