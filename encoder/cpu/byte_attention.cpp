#include "encoder/cpu/byte_attention.h"

#include <algorithm>
#include <cassert>
#include <numbers>

#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// Queries and keys give scores in powers of e.
constexpr float kStepsOfE = kernels::kScoreSteps * std::numbers::log2e_v<float>;

}  // namespace

Attention<ByteArithmetic>::Scratch::Scratch(const models::Dims& dims)
    : queries_(ByteArithmetic::block_rows(), dims.n_audio_state / dims.n_audio_head),
      scores_(ByteArithmetic::block_rows(), dims.n_audio_ctx),
      weights_(ByteArithmetic::block_rows(), kernels::whole_softmax_groups(dims.n_audio_ctx)),
      exact_scores_(1, dims.n_audio_ctx) {}

Attention<ByteArithmetic>::Attention(const models::Dims& dims, const models::PooledPadding& pooled)
    : head_size_(dims.n_audio_state / dims.n_audio_head),
      pooled_(pooled),
      values_(dims.n_audio_ctx, dims.n_audio_state) {
  for (std::size_t head = 0; head < dims.n_audio_head; ++head) {
    heads_.push_back({kernels::U8Matrix(head_size_, dims.n_audio_ctx),
                      kernels::U8Matrix(dims.n_audio_ctx, head_size_)});
  }
}

void Attention<ByteArithmetic>::set(std::size_t first, ConstMatrixView keys,
                                    ConstMatrixView values) {
  models::copy(values, values_.view().row_range(first, values.rows));
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    const ConstMatrixView of_head = keys.col_range(head * head_size_, head_size_);
    heads_[head].keys.set_columns(first, of_head, kStepsOfE);
  }
}

void Attention<ByteArithmetic>::finish(models::ThreadPool& pool) {
  pool.parallel_for(heads_.size(), [&](std::size_t head, std::size_t /*thread*/) {
    heads_[head].values.set(values_.view().col_range(head * head_size_, head_size_));
  });
}

void Attention<ByteArithmetic>::attend(ConstMatrixView queries, MatrixView attended,
                                       Scratch& scratch) const {
  assert(queries.rows <= ByteArithmetic::block_rows() && attended.rows == queries.rows);
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    const std::size_t col = head * head_size_;
    attend_head(heads_[head], queries.col_range(col, head_size_),
                attended.col_range(col, head_size_), scratch);
  }
}

void Attention<ByteArithmetic>::attend_head(const Head& head, ConstMatrixView queries,
                                            MatrixView attended, Scratch& scratch) const {
  scratch.queries_.set(queries);
  scratch.scores_.reset(queries.rows);
  score(head, scratch);
  if (!scratch.weights_.set_softmax(scratch.scores_)) {
    shift_by_maxima(head, scratch);
    score(head, scratch);
    scratch.weights_.set_softmax(scratch.scores_);
  }
  kernels::gemm({scratch.weights_, head.values}, attended);
}

void Attention<ByteArithmetic>::score(const Head& head, Scratch& scratch) const {
  kernels::score(scratch.queries_, head.keys, scratch.scores_);
  if (pooled_.first_row < head.keys.n())
    scratch.scores_.raise(pooled_.first_row, kStepsOfE * pooled_.log_positions());
}

void Attention<ByteArithmetic>::shift_by_maxima(const Head& head, Scratch& scratch) {
  const kernels::PackedA queries = scratch.queries_;
  const MatrixView exact = scratch.exact_scores_.view();
  for (std::size_t r = 0; r < scratch.queries_.n_rows(); ++r) {
    kernels::gemm({queries.from_row(r), head.keys}, exact);
    scratch.scores_.set_shift(r, kernels::max(exact.row(0)));
  }
}

}  // namespace wnpu::encoder
