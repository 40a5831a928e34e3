// The transformer layers on the CPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoder/attention.h"
#include "encoder/cpu_arithmetic.h"
#include "encoder/layer_backend.h"
#include "models/dims.h"
#include "models/precision.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::encoder {

template <typename Arithmetic>
class CpuLayerBackend : public LayerBackend {
 public:
  // Packs the weights, which may go afterwards, their file too. `pool` must outlive the backend.
  // Throws ModelError for a NaN or infinity among them.
  CpuLayerBackend(const models::Dims& dims, std::span<const models::EncoderLayerTensors> layers,
                  models::ThreadPool& pool);

  std::string_view name() const override { return "cpu"; }
  std::size_t n_layers() const override { return layers_.size(); }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  struct Layer {
    models::LayerNorm attn_ln;
    typename Arithmetic::Weights qkv;  // the query with the attention's scale in it
    typename Arithmetic::Weights out;
    models::LayerNorm mlp_ln;
    typename Arithmetic::Weights mlp_0;
    typename Arithmetic::Weights mlp_2;
  };
  // What a thread needs for a block of rows; all of it stays in its L2.
  struct Scratch {
    models::Matrix normed;    // [block_rows(), n_audio_state]
    models::Matrix hidden;    // [block_rows(), 4 n_audio_state]
    models::Matrix attended;  // [block_rows(), n_audio_state]
    typename Attention<Arithmetic>::Scratch attention;
    typename Arithmetic::Rows products;
  };
  struct Block {
    std::size_t first;  // row
    std::size_t rows;
  };

  // qkv_ and attention_'s keys and values of the block's rows, from their normalised states.
  void project(const Layer& layer, Block block, Scratch& scratch);
  // states += out(attention); states += fc2(gelu(fc1(normalised states))), for the block's rows.
  void attend_and_mlp(const Layer& layer, Block block, Scratch& scratch);
  template <typename F>
  void for_each_block(const F& f);

  models::ThreadPool& pool_;
  Attention<Arithmetic> attention_;
  std::vector<Layer> layers_;
  models::Matrix states_;  // [n_audio_ctx, n_audio_state], the residual stream
  models::Matrix qkv_;     // [n_audio_ctx, 3 n_audio_state]: each with its heads side by side
  std::vector<Scratch> scratch_;  // a thread
};

std::unique_ptr<LayerBackend> make_cpu_backend(models::Precision precision,
                                               const models::Dims& dims,
                                               std::span<const models::EncoderLayerTensors> layers,
                                               models::ThreadPool& pool);
inline std::unique_ptr<LayerBackend> make_cpu_backend(models::Precision precision,
                                                      const models::Dims& dims,
                                                      const models::EncoderWeights& weights,
                                                      models::ThreadPool& pool) {
  return make_cpu_backend(precision, dims, models::tensors_of(weights.layers), pool);
}

}  // namespace wnpu::encoder
