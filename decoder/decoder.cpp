#include "decoder/decoder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "models/ops.h"

namespace wnpu::decoder {
namespace {

using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

constexpr std::size_t kGroupRows = 16;  // rows whose scores against a window are made together

// [n, heads * size] -> [heads * n, size]: a head's rows become contiguous, for streaming.
void split_heads(ConstMatrixView from, std::size_t head_size, Matrix& to) {
  const std::size_t heads = from.cols / head_size;
  if (to.rows() != heads * from.rows || to.cols() != head_size) {
    to = Matrix(heads * from.rows, head_size);
  }
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t r = 0; r < from.rows; ++r) {
      std::ranges::copy(from.row(r).subspan(head * head_size, head_size),
                        to.row(head * from.rows + r).begin());
    }
  }
}

float attention_scale(std::size_t head_size) {
  return 1.0F / std::sqrt(static_cast<float>(head_size));
}

}  // namespace

// Where each row's key and value go, and the rows of the pool it attends to.
struct Decoder::Places {
  std::vector<std::size_t> row;     // of the pool
  std::vector<std::size_t> length;  // of its sequence, the row included
  std::vector<std::span<const std::uint32_t>> past;
};

Decoder::Decoder(const models::Dims& dims, const models::DecoderWeights& weights,
                 models::ThreadPool& pool)
    : dims_(dims),
      weights_(weights),
      pool_(pool),
      head_size_(dims.n_text_state / dims.n_text_head),
      x_(dims.n_text_ctx, dims.n_text_state),
      normed_(dims.n_text_ctx, dims.n_text_state),
      q_(dims.n_text_ctx, dims.n_text_state),
      k_(dims.n_text_ctx, dims.n_text_state),
      v_(dims.n_text_ctx, dims.n_text_state),
      wv_(dims.n_text_ctx, dims.n_text_state),
      hidden_(dims.n_text_ctx, 4 * dims.n_text_state),
      head_scratch_(dims.n_audio_ctx, dims.n_text_state) {
  for (std::size_t t = 0; t < pool.n_threads(); ++t) {
    scores_.emplace_back(kGroupRows, std::max(dims.n_audio_ctx, dims.n_text_ctx));
  }
}

void Decoder::cross_kv(const models::EncoderStates& states, CrossKv& out) {
  assert(states.values.rows() == dims_.n_audio_ctx && states.values.cols() == dims_.n_text_state);
  out.keys.resize(dims_.n_text_layer);
  out.values.resize(dims_.n_text_layer);
  for (std::size_t layer = 0; layer < dims_.n_text_layer; ++layer) {
    const models::AttentionWeights& w = weights_.layers[layer].cross_attn;
    models::linear(pool_, states.values.view(), w.key, head_scratch_.view());
    split_heads(head_scratch_.view(), head_size_, out.keys[layer]);
    models::linear(pool_, states.values.view(), w.value, head_scratch_.view());
    split_heads(head_scratch_.view(), head_size_, out.values[layer]);
  }
}

void Decoder::step(KvCache& cache, std::span<const StepRow> rows, MatrixView logits,
                   AttentionTap* tap) {
  if (rows.size() > dims_.n_text_ctx) {
    throw std::length_error("decoder: more rows in a step than n_text_ctx");
  }
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
    const auto token = weights_.token_embedding.row(static_cast<std::size_t>(rows[r].token));
    std::ranges::copy(token, x_.row(r).begin());
    models::axpy(1.0F, weights_.positional_embedding.row(lengths[r] - 1), x_.row(r));
  }
}

void Decoder::self_attention(std::size_t layer, KvCache& cache, std::span<const StepRow> rows,
                             const Places& places) {
  const models::DecoderLayerWeights& w = weights_.layers[layer];
  const auto of_step = [&](Matrix& m) { return m.view().row_range(0, n_rows_); };
  models::layer_norm(pool_, of_step(x_), w.attn_ln, of_step(normed_));
  models::linear(pool_, of_step(normed_), w.attn.query, of_step(q_));
  models::linear(pool_, of_step(normed_), w.attn.key, of_step(k_));
  models::linear(pool_, of_step(normed_), w.attn.value, of_step(v_));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::ranges::copy(k_.row(r), cache.keys(layer).row(places.row[r]).begin());
    std::ranges::copy(v_.row(r), cache.values(layer).row(places.row[r]).begin());
  }
  pool_.parallel_for(
      n_rows_, [&](std::size_t row, std::size_t) { attend_to_past(layer, cache, row, places); });
  models::linear(pool_, of_step(wv_), w.attn.out, of_step(x_), models::Write::add);
}

void Decoder::attend_to_past(std::size_t layer, KvCache& cache, std::size_t row,
                             const Places& places) {
  const auto past = places.past[row];
  const float scale = attention_scale(head_size_);
  const MatrixView keys = cache.keys(layer);
  const MatrixView values = cache.values(layer);
  std::vector<float> scores(past.size());
  std::ranges::fill(wv_.row(row), 0.0F);
  for (std::size_t head = 0; head < dims_.n_text_head; ++head) {
    const auto of_head = [&](std::span<float> all) {
      return all.subspan(head * head_size_, head_size_);
    };
    for (std::size_t i = 0; i < past.size(); ++i) {
      scores[i] = scale * models::dot(of_head(q_.row(row)), of_head(keys.row(past[i])));
    }
    models::softmax(scores);
    for (std::size_t i = 0; i < past.size(); ++i) {
      models::axpy(scores[i], of_head(values.row(past[i])), of_head(wv_.row(row)));
    }
  }
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

void Decoder::cross_attention(std::size_t layer, std::span<const Group> groups, AttentionTap* tap) {
  const models::DecoderLayerWeights& w = weights_.layers[layer];
  const auto of_step = [&](Matrix& m) { return m.view().row_range(0, n_rows_); };
  models::layer_norm(pool_, of_step(x_), w.cross_attn_ln, of_step(normed_));
  models::linear(pool_, of_step(normed_), w.cross_attn.query, of_step(q_));
  pool_.parallel_for(groups.size() * dims_.n_text_head, [&](std::size_t i, std::size_t thread) {
    const Group& group = groups[i / dims_.n_text_head];
    attend_to_window(
        layer, i % dims_.n_text_head, group,
        scores_[thread].view().row_range(0, group.count).col_range(0, dims_.n_audio_ctx));
  });
  if (tap != nullptr) record_scores(layer, groups, *tap);
  models::linear(pool_, of_step(wv_), w.cross_attn.out, of_step(x_), models::Write::add);
}

void Decoder::record_scores(std::size_t layer, std::span<const Group> groups, AttentionTap& tap) {
  for (std::size_t t = 0; t < tap.heads.size(); ++t) {
    if (static_cast<std::size_t>(tap.heads[t].first) != layer) continue;
    const auto head = static_cast<std::size_t>(tap.heads[t].second);
    tap.scores[t] = Matrix(n_rows_, dims_.n_audio_ctx);
    for (const Group& group : groups) {
      const auto keys = group.window->keys[layer].view();
      models::gemm_nt(attention_scale(head_size_), head_of(q_, head, group),
                      keys.row_range(head * dims_.n_audio_ctx, dims_.n_audio_ctx),
                      tap.scores[t].view().row_range(group.first, group.count));
    }
  }
}

void Decoder::attend_to_window(std::size_t layer, std::size_t head, const Group& group,
                               MatrixView scores) {
  const auto of_head = [&](const std::vector<Matrix>& all) {
    return all[layer].view().row_range(head * dims_.n_audio_ctx, dims_.n_audio_ctx);
  };
  models::gemm_nt(attention_scale(head_size_), head_of(q_, head, group),
                  of_head(group.window->keys), scores);
  for (std::size_t r = 0; r < group.count; ++r) models::softmax(scores.row(r));
  models::gemm_nn(scores, of_head(group.window->values), head_of(wv_, head, group));
}

void Decoder::mlp(std::size_t layer) {
  const models::DecoderLayerWeights& w = weights_.layers[layer];
  const auto of_step = [&](Matrix& m) { return m.view().row_range(0, n_rows_); };
  models::layer_norm(pool_, of_step(x_), w.mlp_ln, of_step(normed_));
  models::linear(pool_, of_step(normed_), w.mlp_0, of_step(hidden_));
  models::gelu(pool_, of_step(hidden_));
  models::linear(pool_, of_step(hidden_), w.mlp_2, of_step(x_), models::Write::add);
}

void Decoder::project(std::span<const StepRow> rows, MatrixView logits) {
  std::size_t n = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].wants_logits) std::ranges::copy(x_.row(r), normed_.row(n++).begin());
  }
  assert(logits.rows == n && logits.cols == dims_.n_vocab);
  if (n == 0) return;
  const MatrixView wanted = normed_.view().row_range(0, n);
  models::layer_norm(pool_, wanted, weights_.ln, wanted);
  models::matmul_transposed(pool_, wanted, weights_.token_embedding.view(), logits);
}

}  // namespace wnpu::decoder
