#include "decoder/model/decoder.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {
namespace {

using kernels::Finish;
using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

}  // namespace

Decoder::Decoder(const PackedDecoder& weights, models::ThreadPool& pool)
    : weights_(weights),
      dims_(weights.dims),
      pool_(pool),
      vocabulary_(weights.vocabulary, pool),
      head_size_(dims_.n_text_state / dims_.n_text_head) {
  for (std::size_t t = 0; t < pool.n_threads(); ++t) {
    kv_.emplace_back(kCrossRows, 2 * dims_.n_text_state);
    kv_scratch_.emplace_back(weights.cross_kv_number, kCrossRows, dims_.n_text_state);
    scores_.emplace_back(dims_.n_text_ctx);
    cross_scratch_.emplace_back(dims_, kGroupRows);
  }
}

// A step is a prompt or a token a sequence: mostly few rows, seldom n_text_ctx. x_ comes last: its
// rows say that all have room, also after one could not be made.
void Decoder::make_room(std::size_t n_rows) {
  if (n_rows <= x_.rows()) return;
  const std::size_t width = dims_.n_text_state;
  for (Matrix* m : {&normed_, &q_, &wv_}) *m = Matrix(n_rows, width);
  qkv_ = Matrix(n_rows, 3 * width);
  hidden_ = Matrix(n_rows, 4 * width);
  scratch_ = kernels::Linear::Scratch(weights_.number, n_rows, 4 * width);
  x_ = Matrix(n_rows, width);
}

void Decoder::step(KvCache& cache, std::span<const StepRow> rows, MatrixView logits,
                   AttentionCapture* tap) {
  if (rows.size() > dims_.n_text_ctx) {
    throw std::length_error("decoder: more rows in a step than n_text_ctx");
  }
  make_room(rows.size());
  n_rows_ = rows.size();
  Places places;
  for (const StepRow& row : rows) {
    places.row.push_back(cache.append(row.sequence));
    places.length.push_back(cache.length(row.sequence));
  }
  for (std::size_t r = 0; r < n_rows_; ++r) {
    places.past.push_back(cache.rows(rows[r].sequence).first(places.length[r]));
  }
  if (tap != nullptr) tap->scores.resize(tap->heads.size());
  const auto groups = group_by_window(rows);
  embed(rows, places.length);
  for (std::size_t layer = 0; layer < dims_.n_text_layer; ++layer) {
    self_attention(layer, cache, rows, places);
    cross_attention(layer, groups, tap);
    mlp(layer);
  }
  project(rows, logits);
}

void Decoder::embed(std::span<const StepRow> rows, std::span<const std::size_t> lengths) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    vocabulary_.embed(rows[r].token, x_.row(r));
    kernels::axpy(1.0F, weights_.positions.row(lengths[r] - 1), x_.row(r));
  }
}

void Decoder::mlp(std::size_t layer) {
  const Layer& w = weights_.layers[layer];
  const auto of_step = [&](Matrix& m) { return m.view().row_range(0, n_rows_); };
  kernels::layer_norm(pool_, of_step(x_), w.mlp_ln, of_step(normed_));
  linear(of_step(normed_), w.mlp_0, Finish::gelu, of_step(hidden_));
  linear(of_step(hidden_), w.mlp_2, Finish::add, of_step(x_));
}

void Decoder::linear(ConstMatrixView x, const kernels::Linear& w, Finish finish, MatrixView y) {
  w.apply(pool_, x, finish, y, scratch_);
}

void Decoder::project(std::span<const StepRow> rows, MatrixView logits) {
  std::size_t n = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].wants_logits) std::ranges::copy(x_.row(r), normed_.row(n++).begin());
  }
  assert(logits.rows == n && logits.cols == dims_.n_vocab);
  if (n == 0) return;
  const MatrixView wanted = normed_.view().row_range(0, n);
  kernels::layer_norm(pool_, wanted, weights_.ln, wanted);
  vocabulary_.project(wanted, logits);
}

}  // namespace wnpu::decoder
