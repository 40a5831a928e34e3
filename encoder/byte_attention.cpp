#include "encoder/byte_attention.h"

#include <algorithm>
#include <cassert>
#include <numbers>

#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// Far enough from the ends of fp32, 1e-38 and 3e38, that no weight that counts has left them.
constexpr float kSmallestSum = 1e-25F;
constexpr float kLargestSum = 1e30F;

}  // namespace

Attention<ByteArithmetic>::Scratch::Scratch(const models::Dims& dims)
    : queries_(kBlockRows, dims.n_audio_state / dims.n_audio_head),
      weights_(kBlockRows, dims.n_audio_ctx),
      inverse_sums_(kBlockRows),
      scores_(1, dims.n_audio_ctx) {}

Attention<ByteArithmetic>::Attention(const models::Dims& dims)
    : head_size_(dims.n_audio_state / dims.n_audio_head) {
  for (std::size_t head = 0; head < dims.n_audio_head; ++head) {
    heads_.push_back({models::ByteMatrix(head_size_, dims.n_audio_ctx),
                      models::Bf16Matrix(dims.n_audio_ctx, head_size_)});
  }
}

void Attention<ByteArithmetic>::set(std::size_t first, ConstMatrixView keys,
                                    ConstMatrixView values) {
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    const std::size_t col = head * head_size_;
    heads_[head].keys.set_columns(first, keys.col_range(col, head_size_),
                                  std::numbers::log2e_v<float>);
    heads_[head].values.set_rows(first, values.col_range(col, head_size_));
  }
}

void Attention<ByteArithmetic>::attend(ConstMatrixView queries, MatrixView attended,
                                       Scratch& scratch) const {
  assert(queries.rows <= kBlockRows && attended.rows == queries.rows);
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    const std::size_t col = head * head_size_;
    attend_head(heads_[head], queries.col_range(col, head_size_),
                attended.col_range(col, head_size_), scratch);
  }
}

void Attention<ByteArithmetic>::attend_head(const Head& head, ConstMatrixView queries,
                                            MatrixView attended, Scratch& scratch) const {
  scratch.queries_.set(queries);
  scratch.weights_.reset(queries.rows);
  if (!weigh(head, scratch)) {
    scratch.weights_.reset(queries.rows);
    shift_by_maxima(head, scratch);
    weigh(head, scratch);
  }
  const models::Bf16Rows& weights = scratch.weights_.rows();
  models::gemm(
      models::Bf16Product{weights.row(0), weights.stride(), head.values, scratch.inverse_sums_},
      attended);
}

bool Attention<ByteArithmetic>::weigh(const Head& head, Scratch& scratch) {
  models::exp2_gemm(scratch.queries_, head.keys, scratch.weights_);
  bool good = true;
  for (std::size_t r = 0; r < scratch.queries_.n_rows(); ++r) {
    const float sum = scratch.weights_.sum(r);
    scratch.inverse_sums_[r] = 1.0F / sum;
    good = good && sum > kSmallestSum && sum < kLargestSum;
  }
  return good;
}

void Attention<ByteArithmetic>::shift_by_maxima(const Head& head, Scratch& scratch) {
  const MatrixView scores = scratch.scores_.view();
  for (std::size_t r = 0; r < scratch.queries_.n_rows(); ++r) {
    models::gemm(models::ByteProduct{.a = scratch.queries_, .b = head.keys, .first_row = r},
                 scores);
    scratch.weights_.set_shift(r, models::max(scores.row(0)));
  }
}

}  // namespace wnpu::encoder
