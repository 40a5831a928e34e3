#include "bench/encoder/layer_parts.h"

#include <algorithm>

#include "bench/input/random_weights.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"

namespace wnpu::bench {
LayerParts::LayerParts(const models::Dims& dims, std::size_t frames, models::ThreadPool& pool)
    : pool_(pool), hidden_(random_matrix(frames, 4 * dims.n_audio_state, 1.0F)), attention_(dims) {
  const models::EncoderLayerWeights w = std::move(random_encoder_weights(dims, 1).layers.front());
  norm_ = w.attn_ln;
  query_ = pack_linear(pool, kernels::DataType::f32, {w.attn.query});
  out_ = pack_linear(pool, kernels::DataType::f32, {w.attn.out});
  up_ = pack_linear(pool, kernels::DataType::f32, {w.mlp_0});
  down_ = pack_linear(pool, kernels::DataType::f32, {w.mlp_2});
  // Hidden values around 8, where GELU is the identity: applied again and again to others it would
  // end in denormals.
  for (float& value : hidden_.flat()) value += 8.0F;
  for (models::Matrix* m : {&states_, &normed_, &q_, &attended_}) {
    *m = random_matrix(frames, dims.n_audio_state, 1.0F);
  }
  const models::Matrix of_frames = random_matrix(frames, dims.n_audio_state, 1.0F);
  const std::size_t block = encoder::Fp32Arithmetic::block_rows();
  for (std::size_t first = 0; first < frames; first += block) {
    const auto rows = of_frames.view().row_range(first, std::min(block, frames - first));
    attention_.set(first, rows, rows);
  }
  for (std::size_t t = 0; t < pool.n_threads(); ++t) scratch_.emplace_back(dims);
}

void LayerParts::layer_norm() { kernels::layer_norm(pool_, states_.view(), norm_, normed_.view()); }

void LayerParts::query() {
  kernels::gemm(pool_, {normed_.view(), query_.weight, query_.bias}, q_.view());
}

void LayerParts::out() {
  kernels::gemm(pool_, {attended_.view(), out_.weight, out_.bias, kernels::Finish::add},
                states_.view());
}

void LayerParts::up() {
  kernels::gemm(pool_, {normed_.view(), up_.weight, up_.bias}, hidden_.view());
}

void LayerParts::gelu() { kernels::gelu(pool_, hidden_.view()); }

void LayerParts::down() {
  kernels::gemm(pool_, {hidden_.view(), down_.weight, down_.bias, kernels::Finish::add},
                states_.view());
}

void LayerParts::attend() {
  const std::size_t block = encoder::Fp32Arithmetic::block_rows();
  pool_.parallel_for((q_.rows() + block - 1) / block, [&](std::size_t i, std::size_t thread) {
    const std::size_t first = i * block;
    const std::size_t rows = std::min(block, q_.rows() - first);
    attention_.attend(q_.view().row_range(first, rows), attended_.view().row_range(first, rows),
                      scratch_[thread]);
  });
}

}  // namespace wnpu::bench
