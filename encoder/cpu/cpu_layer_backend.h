// The transformer layers on the CPU.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encoder/cpu/layer_buffers.h"
#include "encoder/layer_backend.h"
#include "models/base/dims.h"
#include "models/base/thread_pool.h"
#include "models/kernels/products/linear.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::encoder {

// A layer's weights, packed.
struct CpuLayer {
  kernels::LayerNorm attn_ln;
  kernels::Linear qkv;  // the query with the attention's scale in it
  kernels::Linear out;
  kernels::LayerNorm mlp_ln;
  kernels::Linear mlp_0;
  kernels::Linear mlp_2;
};

template <typename Arithmetic>
class CpuLayerBackend : public LayerBackend {
 public:
  // `layers`, packed in these numbers, and `pool` must outlive the backend.
  CpuLayerBackend(const models::Dims& dims, std::span<const CpuLayer> layers,
                  kernels::DataType number, models::ThreadPool& pool);

  std::size_t n_layers() const override { return layers_.size(); }
  bool takes_pooled() const override { return true; }
  void set_pooled(const models::PooledPadding& pooled) override { pooled_ = pooled; }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  struct Block {
    std::size_t first;  // row
    std::size_t rows;
  };

  // The buffers' queries, keys and values of the block's rows, from their normalised states.
  void project(const CpuLayer& layer, Block block, BlockScratch<Arithmetic>& scratch);
  // states += out(attention); states += fc2(gelu(fc1(normalised states))), for the block's rows.
  void attend_and_mlp(const CpuLayer& layer, Block block, BlockScratch<Arithmetic>& scratch);
  template <typename F>
  void for_each_block(const F& f);

  models::ThreadPool& pool_;
  models::Dims dims_;
  std::span<const CpuLayer> layers_;
  kernels::DataType number_;
  models::PooledPadding pooled_;                     // of the next window
  std::optional<LayerBuffers<Arithmetic>> buffers_;  // of the window at work
};

// The layers of a model, packed in the numbers of a precision; for any number of backends.
class CpuLayers {
 public:
  // `layers` may go afterwards, their file too unless it has operands. Throws ModelError for a NaN
  // or infinity among them.
  CpuLayers(models::Precision precision, const models::Dims& dims,
            std::span<const models::EncoderLayerTensors> layers, models::ThreadPool& pool);

  // From now on each matrix product shows its input rows to watcher_of(its name), which must
  // outlive this; null: none. Names are like "encoder.blocks.0.attn.query+key+value". Call it
  // before backends are made.
  void watch(const std::function<kernels::InputWatcher*(const std::string&)>& watcher_of);

  // This and `pool` must outlive the backend.
  std::unique_ptr<LayerBackend> make_backend(models::ThreadPool& pool) const;

 private:
  models::Precision precision_;
  models::Dims dims_;
  std::vector<CpuLayer> layers_;
};

}  // namespace wnpu::encoder
