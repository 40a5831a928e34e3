#include "encoder/cpu_layer_backend.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::Finish;
using models::MatrixView;

// Rows that pass through a whole half of a layer together: their 4 n_audio_state wide hidden rows
// (288 KB for tiny) stay in L2, and 1500 rows make 32 blocks, which divide among 2, 4, 8 threads.
constexpr std::size_t kBlockRows = 48;
// Query rows whose scores are worked on together: 24 x 1500 fp32, 144 KB.
constexpr std::size_t kQueryRows = 24;

void copy_rows(ConstMatrixView from, MatrixView to) {
  assert(from.rows == to.rows && from.cols == to.cols);
  for (std::size_t r = 0; r < from.rows; ++r) std::ranges::copy(from.row(r), to.row(r).begin());
}

}  // namespace

template <typename Arithmetic>
CpuLayerBackend<Arithmetic>::CpuLayerBackend(const models::Dims& dims,
                                             std::span<const models::EncoderLayerTensors> layers,
                                             models::ThreadPool& pool)
    : pool_(pool),
      head_size_(dims.n_audio_state / dims.n_audio_head),
      states_(dims.n_audio_ctx, dims.n_audio_state),
      queries_(dims.n_audio_ctx, dims.n_audio_state) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size_));
  const auto pack = [&pool](std::initializer_list<models::ScaledLinear> parts) {
    return Arithmetic::pack(pool, parts);
  };
  for (const models::EncoderLayerTensors& w : layers) {
    const auto& [query, key, value, out] = w.attn;
    layers_.push_back({w.attn_ln, pack({{query, scale}, {key}, {value}}), pack({{out}}), w.mlp_ln,
                       pack({{w.mlp_0}}), pack({{w.mlp_2}})});
  }
  for (std::size_t head = 0; head < dims.n_audio_head; ++head) {
    keys_.push_back(Arithmetic::make_keys(head_size_, dims.n_audio_ctx));
    values_.push_back(Arithmetic::make_values(dims.n_audio_ctx, head_size_));
  }
  const BlockShape shape{kBlockRows, 4 * dims.n_audio_state, kQueryRows, dims.n_audio_ctx};
  for (std::size_t t = 0; t < pool.n_threads(); ++t) {
    scratch_.push_back(
        {models::Matrix(kBlockRows, dims.n_audio_state), models::Matrix(kBlockRows, shape.width),
         models::Matrix(kQueryRows, dims.n_audio_ctx),
         models::Matrix(kBlockRows, dims.n_audio_state), typename Arithmetic::Scratch(shape)});
  }
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::load(ConstMatrixView states) {
  copy_rows(states, states_.view());
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::store(MatrixView states) {
  copy_rows(states_.view(), states);
}

template <typename Arithmetic>
template <typename F>
void CpuLayerBackend<Arithmetic>::for_each_block(const F& f) {
  const std::size_t n = (states_.rows() + kBlockRows - 1) / kBlockRows;
  pool_.parallel_for(n, [&](std::size_t i, std::size_t thread) {
    const std::size_t first = i * kBlockRows;
    f(Block{first, std::min(kBlockRows, states_.rows() - first)}, scratch_[thread]);
  });
}

// Every key and value has to be there before the first query looks at them: hence two loops.
template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::run_layer(std::size_t layer) {
  const Layer& l = layers_.at(layer);
  for_each_block([&](Block block, Scratch& scratch) { project(l, block, scratch); });
  for_each_block([&](Block block, Scratch& scratch) { attend_and_mlp(l, block, scratch); });
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::project(const Layer& layer, Block block, Scratch& scratch) {
  const std::size_t width = states_.cols();
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView qkv = scratch.wide.view().row_range(0, block.rows).col_range(0, 3 * width);
  models::layer_norm(states_.view().row_range(block.first, block.rows), layer.attn_ln, normed);
  Arithmetic::linear(normed, layer.qkv, Finish::replace, qkv, scratch.products);
  copy_rows(qkv.col_range(0, width), queries_.view().row_range(block.first, block.rows));
  for (std::size_t head = 0; head < keys_.size(); ++head) {
    const std::size_t col = head * head_size_;
    keys_[head].set_columns(block.first, qkv.col_range(width + col, head_size_));
    values_[head].set_rows(block.first, qkv.col_range(2 * width + col, head_size_));
  }
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::attend_and_mlp(const Layer& layer, Block block,
                                                 Scratch& scratch) {
  const MatrixView states = states_.view().row_range(block.first, block.rows);
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView hidden = scratch.wide.view().row_range(0, block.rows);
  for (std::size_t head = 0; head < keys_.size(); ++head) attend(head, block, scratch);
  Arithmetic::linear(scratch.attended.view().row_range(0, block.rows), layer.out, Finish::add,
                     states, scratch.products);
  models::layer_norm(states, layer.mlp_ln, normed);
  Arithmetic::linear(normed, layer.mlp_0, Finish::gelu, hidden, scratch.products);
  Arithmetic::linear(hidden, layer.mlp_2, Finish::add, states, scratch.products);
}

template <typename Arithmetic>
void CpuLayerBackend<Arithmetic>::attend(std::size_t head, Block block, Scratch& scratch) {
  const std::size_t col = head * head_size_;
  for (std::size_t row = 0; row < block.rows; row += kQueryRows) {
    const std::size_t rows = std::min(kQueryRows, block.rows - row);
    const MatrixView scores = scratch.scores.view().row_range(0, rows);
    const auto queries = queries_.view().row_range(block.first + row, rows);
    Arithmetic::scores(queries.col_range(col, head_size_), keys_[head], scores, scratch.products);
    Arithmetic::weigh(scores, values_[head],
                      scratch.attended.view().row_range(row, rows).col_range(col, head_size_),
                      scratch.products);
  }
}

template class CpuLayerBackend<Fp32Arithmetic>;

std::unique_ptr<LayerBackend> make_cpu_backend(models::Precision precision,
                                               const models::Dims& dims,
                                               std::span<const models::EncoderLayerTensors> layers,
                                               models::ThreadPool& pool) {
  using models::IntegerWidth;
  const auto make = [&]<typename Arithmetic>(const Arithmetic& /*type*/) {
    return std::make_unique<CpuLayerBackend<Arithmetic>>(dims, layers, pool);
  };
  if (precision == models::Precision::int8) return make(IntegerArithmetic<IntegerWidth::int8>());
  if (precision == models::Precision::int16) return make(IntegerArithmetic<IntegerWidth::int16>());
  return make(Fp32Arithmetic());
}

}  // namespace wnpu::encoder
