#include "bench/layer_parts.h"

#include <algorithm>
#include <cmath>

#include "bench/random_weights.h"

namespace wnpu::bench {
namespace {

// Query rows whose scores are held at a time, as in encoder/npu_hybrid_backend.cpp.
constexpr std::size_t kScoreRows = 64;

}  // namespace

LayerParts::LayerParts(const models::Dims& dims, std::size_t frames, models::ThreadPool& pool)
    : pool_(pool),
      n_head_(dims.n_audio_head),
      weights_(std::move(random_encoder_weights(dims, 1).layers.front())),
      hidden_(random_matrix(frames, 4 * dims.n_audio_state, 1.0F)) {
  // Where GELU is the identity: applied again and again it would end in denormals elsewhere.
  for (float& value : hidden_.flat()) value += 8.0F;
  for (models::Matrix* m : {&states_, &normed_, &q_, &k_, &v_, &attended_}) {
    *m = random_matrix(frames, dims.n_audio_state, 1.0F);
  }
  for (std::size_t t = 0; t < pool.n_threads(); ++t) scores_.emplace_back(kScoreRows, frames);
}

void LayerParts::layer_norm() {
  models::layer_norm(pool_, states_.view(), weights_.attn_ln, normed_.view());
}

void LayerParts::query() { models::linear(pool_, normed_.view(), weights_.attn.query, q_.view()); }

void LayerParts::out() {
  models::linear(pool_, attended_.view(), weights_.attn.out, states_.view(), models::Write::add);
}

void LayerParts::up() { models::linear(pool_, normed_.view(), weights_.mlp_0, hidden_.view()); }

void LayerParts::gelu() { models::gelu(pool_, hidden_.view()); }

void LayerParts::down() {
  models::linear(pool_, hidden_.view(), weights_.mlp_2, states_.view(), models::Write::add);
}

void LayerParts::attend() {
  pool_.parallel_for(n_head_,
                     [&](std::size_t head, std::size_t thread) { attend_head(head, thread); });
}

void LayerParts::attend_head(std::size_t head, std::size_t thread) {
  const std::size_t width = states_.cols() / n_head_;
  const auto of_head = [&](models::Matrix& m) { return m.view().col_range(head * width, width); };
  const float scale = 1.0F / std::sqrt(static_cast<float>(width));
  for (std::size_t row = 0; row < q_.rows(); row += kScoreRows) {
    const std::size_t rows = std::min(kScoreRows, q_.rows() - row);
    const models::MatrixView scores = scores_[thread].view().row_range(0, rows);
    models::gemm_nt(scale, of_head(q_).row_range(row, rows), of_head(k_), scores);
    for (std::size_t r = 0; r < rows; ++r) models::softmax(scores.row(r));
    models::gemm_nn(scores, of_head(v_), of_head(attended_).row_range(row, rows));
  }
}

}  // namespace wnpu::bench
