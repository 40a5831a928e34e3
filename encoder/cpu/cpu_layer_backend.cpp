#include "encoder/cpu/cpu_layer_backend.h"

#include <algorithm>
#include <cassert>

#include "encoder/cpu/byte_attention.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {

using kernels::Finish;
using models::ConstMatrixView;
using models::MatrixView;

template <typename Arithmetic>
CpuLayerBackend<Arithmetic>::CpuLayerBackend(const models::Dims& dims,
                                             std::span<const CpuLayer> layers,
                                             kernels::Number number, models::ThreadPool& pool)
    : pool_(pool),
      attention_(dims),
      layers_(layers),
      states_(dims.n_audio_ctx, dims.n_audio_state),
      queries_(dims.n_audio_ctx, dims.n_audio_state) {
  for (std::size_t t = 0; t < pool.n_threads(); ++t) {
    const std::size_t rows = Arithmetic::block_rows();
    scratch_.push_back(
        {models::Matrix(rows, dims.n_audio_state), models::Matrix(rows, 3 * dims.n_audio_state),
         models::Matrix(rows, 4 * dims.n_audio_state), models::Matrix(rows, dims.n_audio_state),
         typename Attention<Arithmetic>::Scratch(dims),
         kernels::Linear::Room(number, rows, 4 * dims.n_audio_state)});
  }
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::load(ConstMatrixView states) {
  models::copy(states, states_.view());
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::store(MatrixView states) {
  models::copy(states_.view(), states);
}

template <typename Arithmetic>
template <typename F>
void CpuLayerBackend<Arithmetic>::for_each_block(const F& f) {
  const std::size_t rows = Arithmetic::block_rows();
  pool_.parallel_for((states_.rows() + rows - 1) / rows, [&](std::size_t i, std::size_t thread) {
    const std::size_t first = i * rows;
    f(Block{first, std::min(rows, states_.rows() - first)}, scratch_[thread]);
  });
}

// Every key and value has to be there before the first query looks at them: hence two loops.
template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::run_layer(std::size_t layer) {
  assert(layer < layers_.size());
  const CpuLayer& l = layers_[layer];
  for_each_block([&](Block block, Scratch& scratch) { project(l, block, scratch); });
  attention_.finish(pool_);
  for_each_block([&](Block block, Scratch& scratch) { attend_and_mlp(l, block, scratch); });
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::project(const CpuLayer& layer, Block block, Scratch& scratch) {
  const std::size_t width = states_.cols();
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView qkv = scratch.qkv.view().row_range(0, block.rows);
  kernels::layer_norm(states_.view().row_range(block.first, block.rows), layer.attn_ln, normed);
  layer.qkv.apply(normed, Finish::replace, qkv, scratch.products);
  models::copy(qkv.col_range(0, width), queries_.view().row_range(block.first, block.rows));
  attention_.set(block.first, qkv.col_range(width, width), qkv.col_range(2 * width, width));
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::attend_and_mlp(const CpuLayer& layer, Block block,
                                                 Scratch& scratch) {
  const MatrixView states = states_.view().row_range(block.first, block.rows);
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView hidden = scratch.hidden.view().row_range(0, block.rows);
  const MatrixView attended = scratch.attended.view().row_range(0, block.rows);
  const ConstMatrixView queries = queries_.view().row_range(block.first, block.rows);
  attention_.attend(queries, attended, scratch.attention);
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
