#include "decoder/model/cross_attention.h"

#include <algorithm>

#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {

using kernels::DataType;
using kernels::F32Matrix;
using kernels::I16Matrix;
using kernels::ScaleOf;
using models::ConstMatrixView;
using models::MatrixView;

CrossHead::Scratch::Scratch(const models::Dims& dims, std::size_t max_queries)
    : scores(max_queries, dims.n_audio_ctx),
      queries(max_queries, dims.n_text_state / dims.n_text_head),
      weights(max_queries, dims.n_audio_ctx),
      softmax(max_queries) {}

CrossHead::CrossHead(const models::Dims& dims, models::Precision precision,
                     const models::PooledPadding& pooled, models::SharedBlock* block)
    : pooled_(pooled) {
  const std::size_t size = dims.n_text_state / dims.n_text_head;
  const std::size_t frames = dims.n_audio_ctx;
  if (precision == models::Precision::int8) {
    const float limit = kernels::max_weight(DataType::i8);
    kv_ = Integers{I16Matrix(size, frames, {DataType::i8, ScaleOf::column, limit}, block),
                   I16Matrix(frames, size, {DataType::i8, ScaleOf::row, limit}, block)};
    return;
  }
  const auto storage = precision == models::Precision::fp32 ? DataType::f32 : DataType::f16;
  kv_ = Floats{F32Matrix(size, frames, storage, block), F32Matrix(frames, size, storage, block)};
}

std::size_t CrossHead::size_bytes() const {
  const auto share = models::SharedBlock::share;
  return std::visit(
      [&](const auto& kv) { return share(kv.keys.size_bytes()) + share(kv.values.size_bytes()); },
      kv_);
}

std::size_t CrossHead::n_frames() const {
  return std::visit([](const auto& kv) { return kv.keys.n(); }, kv_);
}

bool CrossHead::fits(const models::EncoderStates& states) const {
  return n_frames() == states.values.rows() && pooled_ == states.pooled;
}

void CrossHead::set(std::size_t first, ConstMatrixView keys, ConstMatrixView values) {
  std::visit(
      [&](auto& kv) {
        kv.keys.set_columns(first, keys);
        kv.values.set_rows(first, values);
      },
      kv_);
}

void CrossHead::score(ConstMatrixView queries, MatrixView scores, Scratch& scratch) const {
  if (const auto* floats = std::get_if<Floats>(&kv_)) {
    kernels::gemm({queries, floats->keys}, scores);
    return;
  }
  const auto& keys = std::get<Integers>(kv_).keys;
  scratch.queries.set(queries, keys.left_limit());
  kernels::gemm({scratch.queries, keys}, scores);
}

void CrossHead::attend(ConstMatrixView queries, MatrixView attended, Scratch& scratch) const {
  const std::size_t frames = n_frames();
  const MatrixView scores = scratch.scores.view().row_range(0, queries.rows).col_range(0, frames);
  score(queries, scores, scratch);
  if (pooled_.first_row < frames) {
    const float more = pooled_.log_positions();
    for (std::size_t r = 0; r < scores.rows; ++r) {
      for (float& each : scores.row(r).subspan(pooled_.first_row)) each += more;
    }
  }
  if (const auto* integers = std::get_if<Integers>(&kv_)) {
    attend_integers(*integers, scores, attended, scratch);
    return;
  }
  for (std::size_t r = 0; r < scores.rows; ++r) kernels::softmax(scores.row(r));
  kernels::gemm({scores, std::get<Floats>(kv_).values}, attended);
}

void CrossHead::attend_integers(const Integers& head, MatrixView scores, MatrixView attended,
                                Scratch& scratch) {
  const auto softmax = std::span(scratch.softmax).first(scores.rows);
  for (std::size_t r = 0; r < scores.rows; ++r) {
    softmax[r] = {};
    softmax[r].take_max(kernels::max(scores.row(r)));
  }
  scratch.weights.set_softmax(scores, softmax, head.values.row_scales(),
                              head.values.left_sum_limit());
  kernels::gemm({scratch.weights, head.values}, attended);
  for (std::size_t r = 0; r < scores.rows; ++r)
    kernels::scale(attended.row(r), 1.0F / softmax[r].sum);
}

CrossKv::CrossKv(const models::Dims& dims, models::Precision precision,
                 const models::PooledPadding& pooled) {
  const std::size_t n_heads = dims.n_text_layer * dims.n_text_head;
  block_ = models::SharedBlock(n_heads * CrossHead(dims, precision, pooled).size_bytes());
  for (std::size_t i = 0; i < n_heads; ++i) heads_.emplace_back(dims, precision, pooled, &block_);
}

}  // namespace wnpu::decoder
