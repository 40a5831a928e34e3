#include "encoder/cpu/attention.h"

#include <algorithm>
#include <cassert>

#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {

using kernels::RunningSoftmax;
using models::ConstMatrixView;
using models::MatrixView;

template <typename Arithmetic>
Attention<Arithmetic>::Scratch::Scratch(const models::Dims& dims)
    : scores_(Arithmetic::block_rows(), kChunkFrames),
      softmax_(Arithmetic::block_rows()),
      queries_(Arithmetic::block_rows(), dims.n_audio_state / dims.n_audio_head),
      weights_(Arithmetic::block_rows(), kChunkFrames) {}

template <typename Arithmetic>
Attention<Arithmetic>::Attention(const models::Dims& dims, const models::PooledPadding& pooled)
    : head_size_(dims.n_audio_state / dims.n_audio_head),
      log_positions_(pooled.log_positions()),
      heads_(dims.n_audio_head) {
  for (std::vector<Chunk>& chunks : heads_) {
    for (std::size_t first = 0; first < dims.n_audio_ctx; first += kChunkFrames) {
      const std::size_t frames = std::min(kChunkFrames, dims.n_audio_ctx - first);
      const std::size_t end = first + frames;
      chunks.push_back({Arithmetic::make_keys(head_size_, frames),
                        Arithmetic::make_values(frames, head_size_),
                        std::clamp(pooled.first_row, first, end) - first});
    }
  }
}

template <typename Arithmetic>
void Attention<Arithmetic>::set(std::size_t first, ConstMatrixView keys, ConstMatrixView values) {
  assert(first % Arithmetic::block_rows() == 0 && keys.rows <= Arithmetic::block_rows());
  assert(values.rows == keys.rows && kChunkFrames % Arithmetic::block_rows() == 0);
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    Chunk& chunk = heads_[head][first / kChunkFrames];
    const std::size_t col = head * head_size_;
    chunk.keys.set_columns(first % kChunkFrames, keys.col_range(col, head_size_));
    chunk.values.set_rows(first % kChunkFrames, values.col_range(col, head_size_));
  }
}

template <typename Arithmetic>
void Attention<Arithmetic>::attend(ConstMatrixView queries, MatrixView attended,
                                   Scratch& scratch) const {
  assert(queries.rows <= Arithmetic::block_rows() && attended.rows == queries.rows);
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    const std::size_t col = head * head_size_;
    attend_head(heads_[head], queries.col_range(col, head_size_),
                attended.col_range(col, head_size_), scratch);
  }
}

template <typename Arithmetic>
void Attention<Arithmetic>::attend_head(const std::vector<Chunk>& chunks, ConstMatrixView queries,
                                        MatrixView attended, Scratch& scratch) const {
  for (std::size_t r = 0; r < attended.rows; ++r) std::ranges::fill(attended.row(r), 0.0F);
  std::ranges::fill(scratch.softmax_, RunningSoftmax());
  Arithmetic::set_queries(queries, chunks.front().keys, scratch.queries_);
  for (const Chunk& chunk : chunks) add_chunk(chunk, attended, scratch);
  for (std::size_t r = 0; r < attended.rows; ++r)
    kernels::scale(attended.row(r), 1.0F / scratch.softmax_[r].sum);
}

template <typename Arithmetic>
void Attention<Arithmetic>::add_chunk(const Chunk& chunk, MatrixView attended,
                                      Scratch& scratch) const {
  const MatrixView scores =
      scratch.scores_.view().row_range(0, attended.rows).col_range(0, chunk.keys.n());
  const auto softmax = std::span(scratch.softmax_).first(attended.rows);
  kernels::gemm({scratch.queries_, chunk.keys}, scores);
  for (std::size_t r = 0; r < attended.rows; ++r) {
    for (float& score : scores.row(r).subspan(chunk.first_pooled)) score += log_positions_;
    const float factor = softmax[r].take_max(kernels::max(scores.row(r)));
    if (factor != 1.0F) kernels::scale(attended.row(r), factor);
  }
  Arithmetic::add_weighted(scores, softmax, chunk.values, attended, scratch.weights_);
}

template class Attention<Fp32Arithmetic>;
template class Attention<IntegerArithmetic>;

}  // namespace wnpu::encoder
