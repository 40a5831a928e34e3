#include "decoder/cross_attention.h"

#include "models/gemm.h"
#include "models/ops.h"

namespace wnpu::decoder {

using models::ConstMatrixView;
using models::IntegerWidth;
using models::MatrixView;
using models::PackedMatrix;
using models::QuantisedMatrix;
using models::ScaleOf;
using models::Storage;

CrossHead::Room::Room(const models::Dims& dims, std::size_t max_queries)
    : scores(max_queries, dims.n_audio_ctx),
      queries(max_queries, dims.n_text_state / dims.n_text_head),
      weights(max_queries, dims.n_audio_ctx),
      softmax(max_queries) {}

CrossHead::CrossHead(const models::Dims& dims, models::Precision precision,
                     models::SharedBlock* block) {
  const std::size_t size = dims.n_text_state / dims.n_text_head;
  const std::size_t frames = dims.n_audio_ctx;
  if (precision == models::Precision::int8) {
    const float limit = models::max_weight(IntegerWidth::int8);
    kv_ =
        Integers{QuantisedMatrix(size, frames, {IntegerWidth::int8, ScaleOf::column, limit}, block),
                 QuantisedMatrix(frames, size, {IntegerWidth::int8, ScaleOf::row, limit}, block)};
    return;
  }
  const auto storage = precision == models::Precision::fp32 ? Storage::fp32 : Storage::fp16;
  kv_ = Floats{PackedMatrix(size, frames, storage, block),
               PackedMatrix(frames, size, storage, block)};
}

std::size_t CrossHead::size_bytes() const {
  const auto share = models::SharedBlock::share;
  return std::visit(
      [&](const auto& kv) { return share(kv.keys.size_bytes()) + share(kv.values.size_bytes()); },
      kv_);
}

void CrossHead::set(std::size_t first, ConstMatrixView keys, ConstMatrixView values) {
  std::visit(
      [&](auto& kv) {
        kv.keys.set_columns(first, keys);
        kv.values.set_rows(first, values);
      },
      kv_);
}

void CrossHead::score(ConstMatrixView queries, MatrixView scores, Room& room) const {
  if (const auto* floats = std::get_if<Floats>(&kv_)) {
    models::gemm({queries, floats->keys, {}}, scores);
    return;
  }
  const auto& keys = std::get<Integers>(kv_).keys;
  room.queries.set(queries, keys.left_limit());
  models::gemm(models::IntegerProduct{room.queries, keys, {}}, scores);
}

void CrossHead::attend(ConstMatrixView queries, MatrixView attended, Room& room) const {
  const MatrixView scores = room.scores.view().row_range(0, queries.rows);
  score(queries, scores, room);
  if (const auto* integers = std::get_if<Integers>(&kv_)) {
    attend_integers(*integers, scores, attended, room);
    return;
  }
  for (std::size_t r = 0; r < scores.rows; ++r) models::softmax(scores.row(r));
  models::gemm({scores, std::get<Floats>(kv_).values, {}}, attended);
}

void CrossHead::attend_integers(const Integers& head, MatrixView scores, MatrixView attended,
                                Room& room) {
  const auto softmax = std::span(room.softmax).first(scores.rows);
  for (std::size_t r = 0; r < scores.rows; ++r) {
    softmax[r] = {};
    softmax[r].take_max(models::max(scores.row(r)));
  }
  room.weights.set_softmax(scores, softmax, head.values.scales(), head.values.left_sum_limit());
  models::gemm(models::IntegerProduct{room.weights, head.values, {}}, attended);
  for (std::size_t r = 0; r < scores.rows; ++r)
    models::scale(attended.row(r), 1.0F / softmax[r].sum);
}

CrossKv::CrossKv(const models::Dims& dims, models::Precision precision) {
  const std::size_t n_heads = dims.n_text_layer * dims.n_text_head;
  block_ = models::SharedBlock(n_heads * CrossHead(dims, precision).size_bytes());
  for (std::size_t i = 0; i < n_heads; ++i) heads_.emplace_back(dims, precision, &block_);
}

}  // namespace wnpu::decoder
