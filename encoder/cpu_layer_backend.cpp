#include "encoder/cpu_layer_backend.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/ops.h"

namespace wnpu::encoder {
namespace {

// Query rows that are worked on together: their scores (64 x 1500 fp32, 384 KB) stay in L2.
constexpr std::size_t kQueryRows = 64;

void copy_rows(models::ConstMatrixView from, models::MatrixView to) {
  assert(from.rows == to.rows && from.cols == to.cols);
  for (std::size_t r = 0; r < from.rows; ++r) std::ranges::copy(from.row(r), to.row(r).begin());
}

}  // namespace

CpuLayerBackend::CpuLayerBackend(const models::Dims& dims, const models::EncoderWeights& weights,
                                 models::ThreadPool& pool)
    : weights_(weights),
      pool_(pool),
      n_head_(dims.n_audio_head),
      states_(dims.n_audio_ctx, dims.n_audio_state),
      normed_(dims.n_audio_ctx, dims.n_audio_state),
      q_(dims.n_audio_ctx, dims.n_audio_state),
      k_(dims.n_audio_ctx, dims.n_audio_state),
      v_(dims.n_audio_ctx, dims.n_audio_state),
      wv_(dims.n_audio_ctx, dims.n_audio_state),
      hidden_(dims.n_audio_ctx, 4 * dims.n_audio_state) {
  for (std::size_t t = 0; t < pool.n_threads(); ++t)
    scores_.emplace_back(kQueryRows, dims.n_audio_ctx);
}

void CpuLayerBackend::load(models::ConstMatrixView states) { copy_rows(states, states_.view()); }

void CpuLayerBackend::store(models::MatrixView states) { copy_rows(states_.view(), states); }

void CpuLayerBackend::run_layer(std::size_t layer) {
  const models::EncoderLayerWeights& w = weights_.layers.at(layer);
  models::layer_norm(pool_, states_.view(), w.attn_ln, normed_.view());
  attention(w);
  models::layer_norm(pool_, states_.view(), w.mlp_ln, normed_.view());
  mlp(w);
}

void CpuLayerBackend::attention(const models::EncoderLayerWeights& w) {
  models::linear(pool_, normed_.view(), w.attn.query, q_.view());
  models::linear(pool_, normed_.view(), w.attn.key, k_.view());
  models::linear(pool_, normed_.view(), w.attn.value, v_.view());
  const std::size_t blocks = (states_.rows() + kQueryRows - 1) / kQueryRows;
  pool_.parallel_for(n_head_ * blocks, [&](std::size_t i, std::size_t thread) {
    attention_block(i / blocks, i % blocks * kQueryRows, thread);
  });
  models::linear(pool_, wv_.view(), w.attn.out, states_.view(), models::Write::add);
}

void CpuLayerBackend::attention_block(std::size_t head, std::size_t first_row, std::size_t thread) {
  const std::size_t head_size = states_.cols() / n_head_;
  const std::size_t rows = std::min(kQueryRows, states_.rows() - first_row);
  const auto of_head = [&](const models::Matrix& m) {
    return m.view().col_range(head * head_size, head_size);
  };
  const models::MatrixView scores = scores_[thread].view().row_range(0, rows);
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  models::gemm_nt(scale, of_head(q_).row_range(first_row, rows), of_head(k_), scores);
  for (std::size_t r = 0; r < rows; ++r) models::softmax(scores.row(r));
  models::gemm_nn(scores, of_head(v_),
                  wv_.view().row_range(first_row, rows).col_range(head * head_size, head_size));
}

void CpuLayerBackend::mlp(const models::EncoderLayerWeights& w) {
  models::linear(pool_, normed_.view(), w.mlp_0, hidden_.view());
  models::gelu(pool_, hidden_.view());
  models::linear(pool_, hidden_.view(), w.mlp_2, states_.view(), models::Write::add);
}

}  // namespace wnpu::encoder
