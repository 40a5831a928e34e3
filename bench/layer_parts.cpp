#include "bench/layer_parts.h"

#include <algorithm>

#include "bench/random_weights.h"
#include "models/gemm.h"
#include "models/ops.h"

namespace wnpu::bench {
namespace {

// Query rows whose scores are held at a time, as in encoder/cpu_layer_backend.cpp.
constexpr std::size_t kQueryRows = 24;

}  // namespace

LayerParts::LayerParts(const models::Dims& dims, std::size_t frames, models::ThreadPool& pool)
    : pool_(pool), hidden_(random_matrix(frames, 4 * dims.n_audio_state, 1.0F)) {
  const models::EncoderLayerWeights w = std::move(random_encoder_weights(dims, 1).layers.front());
  norm_ = w.attn_ln;
  query_ = pack_linear(pool, w.attn.query, models::Storage::fp32);
  out_ = pack_linear(pool, w.attn.out, models::Storage::fp32);
  up_ = pack_linear(pool, w.mlp_0, models::Storage::fp32);
  down_ = pack_linear(pool, w.mlp_2, models::Storage::fp32);
  // Where GELU is the identity: applied again and again it would end in denormals elsewhere.
  for (float& value : hidden_.flat()) value += 8.0F;
  for (models::Matrix* m : {&states_, &normed_, &q_, &attended_}) {
    *m = random_matrix(frames, dims.n_audio_state, 1.0F);
  }
  const std::size_t head_size = dims.n_audio_state / dims.n_audio_head;
  const models::Matrix of_head = random_matrix(frames, head_size, 1.0F);
  for (std::size_t head = 0; head < dims.n_audio_head; ++head) {
    keys_.emplace_back(head_size, frames).set_columns(0, of_head.view());
    values_.emplace_back(frames, head_size).set_rows(0, of_head.view());
  }
  for (std::size_t t = 0; t < pool.n_threads(); ++t) scores_.emplace_back(kQueryRows, frames);
}

void LayerParts::layer_norm() { models::layer_norm(pool_, states_.view(), norm_, normed_.view()); }

void LayerParts::query() {
  models::gemm(pool_, {normed_.view(), query_.weight, query_.bias}, q_.view());
}

void LayerParts::out() {
  models::gemm(pool_, {attended_.view(), out_.weight, out_.bias, models::Finish::add},
               states_.view());
}

void LayerParts::up() {
  models::gemm(pool_, {normed_.view(), up_.weight, up_.bias}, hidden_.view());
}

void LayerParts::gelu() { models::gelu(pool_, hidden_.view()); }

void LayerParts::down() {
  models::gemm(pool_, {hidden_.view(), down_.weight, down_.bias, models::Finish::add},
               states_.view());
}

void LayerParts::attend() {
  pool_.parallel_for(keys_.size(),
                     [&](std::size_t head, std::size_t thread) { attend_head(head, thread); });
}

void LayerParts::attend_head(std::size_t head, std::size_t thread) {
  const std::size_t size = keys_[head].k();
  const auto of_head = [&](models::Matrix& m) { return m.view().col_range(head * size, size); };
  for (std::size_t row = 0; row < q_.rows(); row += kQueryRows) {
    const std::size_t rows = std::min(kQueryRows, q_.rows() - row);
    const models::MatrixView scores = scores_[thread].view().row_range(0, rows);
    models::gemm({of_head(q_).row_range(row, rows), keys_[head], {}}, scores);
    for (std::size_t r = 0; r < rows; ++r) models::softmax(scores.row(r));
    models::gemm({scores, values_[head], {}}, of_head(attended_).row_range(row, rows));
  }
}

}  // namespace wnpu::bench
