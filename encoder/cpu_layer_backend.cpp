#include "encoder/cpu_layer_backend.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "models/gemm.h"
#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::Finish;
using models::MatrixView;
using models::Storage;

// Rows that pass through a whole half of a layer together: their 4 n_audio_state wide hidden rows
// (288 KB for tiny) stay in L2, and 1500 rows make 32 blocks, which divide among 2, 4, 8 threads.
constexpr std::size_t kBlockRows = 48;
// Query rows whose scores are worked on together: 24 x 1500 fp32, 144 KB.
constexpr std::size_t kQueryRows = 24;

void copy_rows(ConstMatrixView from, MatrixView to) {
  assert(from.rows == to.rows && from.cols == to.cols);
  for (std::size_t r = 0; r < from.rows; ++r) std::ranges::copy(from.row(r), to.row(r).begin());
}

void linear(ConstMatrixView x, const models::PackedLinear& w, Finish finish, MatrixView y) {
  models::gemm({x, w.weight, w.bias, finish}, y);
}

}  // namespace

CpuLayerBackend::CpuLayerBackend(const models::Dims& dims, const models::EncoderWeights& weights,
                                 models::ThreadPool& pool)
    : pool_(pool),
      head_size_(dims.n_audio_state / dims.n_audio_head),
      states_(dims.n_audio_ctx, dims.n_audio_state),
      queries_(dims.n_audio_ctx, dims.n_audio_state) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size_));
  for (const models::EncoderLayerWeights& w : weights.layers) {
    const auto& [query, key, value, out] = w.attn;
    layers_.push_back(
        {w.attn_ln,
         models::pack_side_by_side(pool, {{query, scale}, {key}, {value}}, Storage::fp32),
         pack_linear(pool, out, Storage::fp32), w.mlp_ln, pack_linear(pool, w.mlp_0, Storage::fp32),
         pack_linear(pool, w.mlp_2, Storage::fp32)});
  }
  for (std::size_t head = 0; head < dims.n_audio_head; ++head) {
    keys_.emplace_back(head_size_, dims.n_audio_ctx);
    values_.emplace_back(dims.n_audio_ctx, head_size_);
  }
  for (std::size_t t = 0; t < pool.n_threads(); ++t) {
    scratch_.push_back({models::Matrix(kBlockRows, dims.n_audio_state),
                        models::Matrix(kBlockRows, 4 * dims.n_audio_state),
                        models::Matrix(kQueryRows, dims.n_audio_ctx),
                        models::Matrix(kBlockRows, dims.n_audio_state)});
  }
}

void CpuLayerBackend::load(ConstMatrixView states) { copy_rows(states, states_.view()); }

void CpuLayerBackend::store(MatrixView states) { copy_rows(states_.view(), states); }

template <typename F>
void CpuLayerBackend::for_each_block(const F& f) {
  const std::size_t n = (states_.rows() + kBlockRows - 1) / kBlockRows;
  pool_.parallel_for(n, [&](std::size_t i, std::size_t thread) {
    const std::size_t first = i * kBlockRows;
    f(Block{first, std::min(kBlockRows, states_.rows() - first)}, scratch_[thread]);
  });
}

// Every key and value has to be there before the first query looks at them: hence two loops.
void CpuLayerBackend::run_layer(std::size_t layer) {
  const Layer& l = layers_.at(layer);
  for_each_block([&](Block block, Scratch& scratch) { project(l, block, scratch); });
  for_each_block([&](Block block, Scratch& scratch) { attend_and_mlp(l, block, scratch); });
}

void CpuLayerBackend::project(const Layer& layer, Block block, Scratch& scratch) {
  const std::size_t width = states_.cols();
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView qkv = scratch.wide.view().row_range(0, block.rows).col_range(0, 3 * width);
  models::layer_norm(states_.view().row_range(block.first, block.rows), layer.attn_ln, normed);
  linear(normed, layer.qkv, Finish::replace, qkv);
  copy_rows(qkv.col_range(0, width), queries_.view().row_range(block.first, block.rows));
  for (std::size_t head = 0; head < keys_.size(); ++head) {
    const std::size_t col = head * head_size_;
    keys_[head].set_columns(block.first, qkv.col_range(width + col, head_size_));
    values_[head].set_rows(block.first, qkv.col_range(2 * width + col, head_size_));
  }
}

void CpuLayerBackend::attend_and_mlp(const Layer& layer, Block block, Scratch& scratch) {
  const MatrixView states = states_.view().row_range(block.first, block.rows);
  const MatrixView normed = scratch.normed.view().row_range(0, block.rows);
  const MatrixView hidden = scratch.wide.view().row_range(0, block.rows);
  for (std::size_t head = 0; head < keys_.size(); ++head) attend(head, block, scratch);
  linear(scratch.attended.view().row_range(0, block.rows), layer.out, Finish::add, states);
  models::layer_norm(states, layer.mlp_ln, normed);
  linear(normed, layer.mlp_0, Finish::gelu, hidden);
  linear(hidden, layer.mlp_2, Finish::add, states);
}

void CpuLayerBackend::attend(std::size_t head, Block block, Scratch& scratch) {
  const std::size_t col = head * head_size_;
  for (std::size_t row = 0; row < block.rows; row += kQueryRows) {
    const std::size_t rows = std::min(kQueryRows, block.rows - row);
    const MatrixView scores = scratch.scores.view().row_range(0, rows);
    const auto queries = queries_.view().row_range(block.first + row, rows);
    models::gemm({queries.col_range(col, head_size_), keys_[head], {}}, scores);
    std::array<float, kQueryRows> sums;
    for (std::size_t r = 0; r < rows; ++r) sums[r] = models::exp_below_max(scores.row(r));
    const auto attended = scratch.attended.view().row_range(row, rows).col_range(col, head_size_);
    models::gemm({scores, values_[head], {}}, attended);
    for (std::size_t r = 0; r < rows; ++r) models::scale(attended.row(r), 1.0F / sums[r]);
  }
}

}  // namespace wnpu::encoder
