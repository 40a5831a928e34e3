#include "encoder/variant/variant_backend.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "encoder/variant/cut_layer.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"

namespace wnpu::encoder {
namespace {

using kernels::Finish;
using models::ConstMatrixView;
using models::MatrixView;

constexpr float kByteSteps = 127;

CpuLayer packed(const models::EncoderLayerWeights& w, std::size_t head_size,
                models::ThreadPool& pool) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  const auto pack = [&](std::initializer_list<models::ScaledLinear> parts) {
    return models::pack_linear(pool, kernels::Number::f32, parts);
  };
  return {w.attn_ln,
          pack({{w.attn.query, scale}, {w.attn.key}, {w.attn.value}}),
          pack({{w.attn.out}}),
          w.mlp_ln,
          pack({{w.mlp_0}}),
          pack({{w.mlp_2}})};
}

// As the array's quantise_rows: steps of the row's largest value / 127.
void round_to_steps(std::span<float> row) {
  float most = 0;
  for (const float v : row) most = std::max(most, std::abs(v));
  const float step = most / kByteSteps;
  if (!(step > 0)) return;
  for (float& v : row) v = std::nearbyint(v / step) * step;
}

}  // namespace

npu::WholeEncoder whole_encoder(const models::Dims& dims) {
  return {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state,
          dims.n_audio_layer};
}

VariantBackend::VariantBackend(const models::Dims& dims,
                               std::span<const models::EncoderLayerWeights> layers,
                               const npu::EncoderVariant& variant, models::ThreadPool& pool)
    : pool_(pool), pooling_(variant.pooling) {
  const std::string fault = npu::variant_fault(whole_encoder(dims), variant);
  if (!fault.empty()) throw std::invalid_argument("variant: " + fault);
  const std::size_t frames = npu::pooled_frames(dims.n_audio_ctx, variant.pooling);
  const std::size_t head_size = dims.n_audio_state / dims.n_audio_head;
  states_ = models::Matrix(frames, dims.n_audio_state);
  normed_ = models::Matrix(frames, dims.n_audio_state);
  layers_.resize(dims.n_audio_layer);
  for (const npu::LayerVariant& v : variant.layers) {
    models::Dims heads = dims;
    heads.n_audio_ctx = frames;
    heads.n_audio_head = v.heads;
    heads.n_audio_state = v.heads * head_size;
    auto layer = std::make_unique<Layer>();
    layer->weights = packed(cut_layer(layers[v.layer], head_size, v), head_size, pool);
    layer->is_int8 = v.precision == npu::Precision::int8;
    layer->attended = heads.n_audio_state;
    layer->attention = std::make_unique<Attention<Fp32Arithmetic>>(heads);
    for (std::size_t t = 0; t < pool.n_threads(); ++t) layer->scratch.emplace_back(heads);
    layers_[v.layer] = std::move(layer);
  }
}

void VariantBackend::load(ConstMatrixView states) {
  for (std::size_t r = 0; r < states_.rows(); ++r) {
    const std::size_t first = r * pooling_;
    const std::size_t n = std::min(pooling_, states.rows - first);
    std::ranges::copy(states.row(first), states_.row(r).begin());
    for (std::size_t i = 1; i < n; ++i) kernels::axpy(1.0F, states.row(first + i), states_.row(r));
    if (n > 1) kernels::scale(states_.row(r), 1.0F / static_cast<float>(n));
  }
}

void VariantBackend::store(MatrixView states) {
  for (std::size_t r = 0; r < states.rows; ++r) {
    std::ranges::copy(states_.row(r / pooling_), states.row(r).begin());
  }
}

void VariantBackend::run_layer(std::size_t layer) {
  Layer* const stays = layers_.at(layer).get();
  if (stays == nullptr) return;
  attend(*stays);
  feed_forward(*stays);
}

ConstMatrixView VariantBackend::normed(const Layer& layer, const kernels::LayerNorm& norm) {
  kernels::layer_norm(pool_, states_.view(), norm, normed_.view());
  if (layer.is_int8) {
    pool_.parallel_for(normed_.rows(), [&](std::size_t r, std::size_t /*thread*/) {
      round_to_steps(normed_.row(r));
    });
  }
  return normed_.view();
}

template <typename F>
void VariantBackend::for_each_block(const F& f) {
  const std::size_t rows = Fp32Arithmetic::block_rows();
  pool_.parallel_for((states_.rows() + rows - 1) / rows, [&](std::size_t i, std::size_t thread) {
    f(i * rows, std::min(rows, states_.rows() - i * rows), thread);
  });
}

void VariantBackend::attend(Layer& layer) {
  const std::size_t width = layer.attended;
  kernels::Linear::Scratch none;
  models::Matrix qkv(states_.rows(), 3 * width);
  layer.weights.qkv.apply(pool_, normed(layer, layer.weights.attn_ln), Finish::replace, qkv.view(),
                          none);
  const ConstMatrixView made = qkv.view();
  for_each_block([&](std::size_t first, std::size_t rows, std::size_t /*thread*/) {
    const ConstMatrixView block = made.row_range(first, rows);
    layer.attention->set(first, block.col_range(width, width), block.col_range(2 * width, width));
  });
  layer.attention->finish(pool_);
  models::Matrix attended(states_.rows(), width);
  for_each_block([&](std::size_t first, std::size_t rows, std::size_t thread) {
    layer.attention->attend(made.col_range(0, width).row_range(first, rows),
                            attended.view().row_range(first, rows), layer.scratch[thread]);
  });
  layer.weights.out.apply(pool_, attended.view(), Finish::add, states_.view(), none);
}

void VariantBackend::feed_forward(Layer& layer) {
  kernels::Linear::Scratch none;
  models::Matrix hidden(states_.rows(), layer.weights.mlp_0.weight.n());
  layer.weights.mlp_0.apply(pool_, normed(layer, layer.weights.mlp_ln), Finish::gelu, hidden.view(),
                            none);
  layer.weights.mlp_2.apply(pool_, hidden.view(), Finish::add, states_.view(), none);
}

}  // namespace wnpu::encoder
