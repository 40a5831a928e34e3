// Attention of a step to what came before it, and to the window.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "decoder/model/decoder.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {

using kernels::Finish;
using models::Matrix;
using models::MatrixView;

void Decoder::cross_kv(const models::EncoderStates& states, CrossKv& out) {
  const std::size_t frames = states.values.rows();
  assert(frames <= dims_.n_audio_ctx && states.values.cols() == dims_.n_text_state);
  const std::size_t heads = dims_.n_text_head;
  if (!out.fits(states)) {
    models::Dims dims = dims_;
    dims.n_audio_ctx = frames;
    out = {};  // its memory before that of the next
    out = CrossKv(dims, weights_.precision, states.pooled);
  }
  const std::size_t blocks = (frames + kCrossRows - 1) / kCrossRows;
  pool_.parallel_for(dims_.n_text_layer * blocks, [&](std::size_t i, std::size_t thread) {
    const std::size_t layer = i / blocks;
    const std::size_t first = i % blocks * kCrossRows;
    const std::size_t rows = std::min(kCrossRows, frames - first);
    const MatrixView kv = kv_[thread].view().row_range(0, rows);
    weights_.layers[layer].cross_kv.apply(states.values.view().row_range(first, rows),
                                          Finish::replace, kv, kv_scratch_[thread]);
    for (std::size_t head = 0; head < heads; ++head) {
      const std::size_t col = head * head_size_;
      out.heads()[layer * heads + head].set(first, kv.col_range(col, head_size_),
                                            kv.col_range(dims_.n_text_state + col, head_size_));
    }
  });
}

void Decoder::self_attention(std::size_t layer, KvCache& cache, std::span<const StepRow> rows,
                             const Places& places) {
  const Layer& w = weights_.layers[layer];
  const auto of_step = [&](Matrix& m) { return m.view().row_range(0, n_rows_); };
  kernels::layer_norm(pool_, of_step(x_), w.attn_ln, of_step(normed_));
  linear(of_step(normed_), w.qkv, Finish::replace, of_step(qkv_));
  const std::size_t width = dims_.n_text_state;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::span<float> qkv = qkv_.row(r);
    scale_queries(qkv.first(width));
    cache.set(layer, places.row[r], qkv.subspan(width, width), qkv.last(width));
  }
  // Rows inside: beams share most of their past.
  pool_.parallel_for(dims_.n_text_head * n_rows_, [&](std::size_t i, std::size_t thread) {
    const std::size_t row = i % n_rows_;
    const std::size_t col = i / n_rows_ * head_size_;
    attend_to_past(cache, {layer, col, head_size_, places.past[row]}, row, scores_[thread]);
  });
  linear(of_step(wv_), w.out, Finish::add, of_step(x_));
}

// The scale is not folded into the weights: an eighth of a small fp16 number is no fp16 number.
void Decoder::scale_queries(std::span<float> queries) const {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size_));
  kernels::scale(queries, scale);
}

void Decoder::attend_to_past(const KvCache& cache, const KvCache::Past& past, std::size_t row,
                             std::span<float> room) {
  const std::span<float> scores = room.first(past.rows.size());
  cache.score(past, qkv_.row(row).subspan(past.first_col, past.cols), scores);
  kernels::softmax(scores);
  cache.add_up(past, scores, wv_.row(row).subspan(past.first_col, past.cols));
}

MatrixView Decoder::head_of(Matrix& m, std::size_t head, const Group& group) const {
  return m.view().row_range(group.first, group.count).col_range(head * head_size_, head_size_);
}

std::vector<Decoder::Group> Decoder::group_by_window(std::span<const StepRow> rows) {
  std::vector<Group> groups;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    assert(rows[r].window != nullptr);
    const bool joins = !groups.empty() && groups.back().window == rows[r].window &&
                       groups.back().count < kGroupRows;
    if (joins) {
      ++groups.back().count;
    } else {
      groups.push_back({r, 1, rows[r].window});
    }
  }
  return groups;
}

void Decoder::cross_attention(std::size_t layer, std::span<const Group> groups,
                              AttentionCapture* tap) {
  const Layer& w = weights_.layers[layer];
  const auto of_step = [&](Matrix& m) { return m.view().row_range(0, n_rows_); };
  kernels::layer_norm(pool_, of_step(x_), w.cross_attn_ln, of_step(normed_));
  linear(of_step(normed_), w.cross_query, Finish::replace, of_step(q_));
  for (std::size_t r = 0; r < n_rows_; ++r) scale_queries(q_.row(r));
  pool_.parallel_for(groups.size() * dims_.n_text_head, [&](std::size_t i, std::size_t thread) {
    const Group& group = groups[i / dims_.n_text_head];
    const std::size_t head = i % dims_.n_text_head;
    of_window(group, layer, head)
        .attend(head_of(q_, head, group), head_of(wv_, head, group), cross_scratch_[thread]);
  });
  if (tap != nullptr) record_scores(layer, groups, *tap);
  linear(of_step(wv_), w.cross_out, Finish::add, of_step(x_));
}

void Decoder::record_scores(std::size_t layer, std::span<const Group> groups,
                            AttentionCapture& tap) {
  for (std::size_t t = 0; t < tap.heads.size(); ++t) {
    if (static_cast<std::size_t>(tap.heads[t].first) != layer) continue;
    const auto head = static_cast<std::size_t>(tap.heads[t].second);
    tap.scores[t] = Matrix(n_rows_, groups.front().window->n_frames());
    for (const Group& group : groups) {
      of_window(group, layer, head)
          .score(head_of(q_, head, group), tap.scores[t].view().row_range(group.first, group.count),
                 cross_scratch_.front());
    }
  }
}

}  // namespace wnpu::decoder
