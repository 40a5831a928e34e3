#include "encoder/cpu/cpu_layer_backend.h"

#include <algorithm>
#include <cassert>

#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {

using kernels::Finish;
using models::ConstMatrixView;
using models::MatrixView;

template <typename Arithmetic>
CpuLayerBackend<Arithmetic>::CpuLayerBackend(const models::Dims& dims,
                                             std::span<const CpuLayer> layers,
                                             kernels::DataType number, models::ThreadPool& pool)
    : pool_(pool),
      dims_(dims),
      layers_(layers),
      number_(number),
      buffers_(std::in_place, dims, models::PooledPadding(), number, pool.n_threads()) {}

// A window with another number of rows, or of pooled ones, gets new buffers. The old ones are freed
// first; where there is no memory for new ones, there are none until the next load().
template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::load(ConstMatrixView states) {
  if (!buffers_ || states.rows != buffers_->states.rows() || pooled_ != buffers_->pooled) {
    models::Dims of_window = dims_;
    of_window.n_audio_ctx = states.rows;
    buffers_.reset();
    buffers_.emplace(of_window, pooled_, number_, pool_.n_threads());
  }
  models::copy(states, buffers_->states.view());
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::store(MatrixView states) {
  models::copy(buffers_->states.view(), states);
}

template <typename Arithmetic>
template <typename F>
void CpuLayerBackend<Arithmetic>::for_each_block(const F& f) {
  const std::size_t rows = Arithmetic::block_rows();
  pool_.parallel_for(
      (buffers_->states.rows() + rows - 1) / rows, [&](std::size_t i, std::size_t thread) {
        const std::size_t first = i * rows;
        f(Block{first, std::min(rows, buffers_->states.rows() - first)}, buffers_->scratch[thread]);
      });
}

// Every key and value has to be there before the first query looks at them: hence two loops.
template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::run_layer(std::size_t layer) {
  assert(layer < layers_.size());
  const CpuLayer& l = layers_[layer];
  for_each_block(
      [&](Block block, BlockScratch<Arithmetic>& scratch) { project(l, block, scratch); });
  buffers_->attention.finish(pool_);
  for_each_block(
      [&](Block block, BlockScratch<Arithmetic>& scratch) { attend_and_mlp(l, block, scratch); });
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::project(const CpuLayer& layer, Block block,
                                          BlockScratch<Arithmetic>& scratch) {
  const std::size_t width = buffers_->states.cols();
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView qkv = scratch.qkv.view().row_range(0, block.rows);
  kernels::layer_norm(buffers_->states.view().row_range(block.first, block.rows), layer.attn_ln,
                      normed);
  layer.qkv.apply(normed, Finish::replace, qkv, scratch.products);
  models::copy(qkv.col_range(0, width),
               buffers_->queries.view().row_range(block.first, block.rows));
  buffers_->attention.set(block.first, qkv.col_range(width, width),
                          qkv.col_range(2 * width, width));
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::attend_and_mlp(const CpuLayer& layer, Block block,
                                                 BlockScratch<Arithmetic>& scratch) {
  const MatrixView states = buffers_->states.view().row_range(block.first, block.rows);
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView hidden = scratch.hidden.view().row_range(0, block.rows);
  const MatrixView attended = scratch.attended.view().row_range(0, block.rows);
  const ConstMatrixView queries = buffers_->queries.view().row_range(block.first, block.rows);
  buffers_->attention.attend(queries, attended, scratch.attention);
  layer.out.apply(attended, Finish::add, states, scratch.products);
  kernels::layer_norm(states, layer.mlp_ln, normed);
  layer.mlp_0.apply(normed, Finish::gelu, hidden, scratch.products);
  layer.mlp_2.apply(hidden, Finish::add, states, scratch.products);
}

std::unique_ptr<LayerBackend> CpuLayers::make_backend(models::ThreadPool& pool) const {
  const auto make =
      [&]<typename Arithmetic>(const Arithmetic& /*type*/) -> std::unique_ptr<LayerBackend> {
    return std::make_unique<CpuLayerBackend<Arithmetic>>(dims_, layers_,
                                                         models::number_of(precision_), pool);
  };
  if (models::multiplies_bytes(precision_)) return make(ByteArithmetic());
  if (precision_ == models::Precision::fp32) return make(Fp32Arithmetic());
  return make(IntegerArithmetic());
}

}  // namespace wnpu::encoder
