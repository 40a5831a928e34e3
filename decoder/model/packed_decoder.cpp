#include "decoder/model/packed_decoder.h"

#include <algorithm>
#include <initializer_list>

#include "models/weights/pack_weights.h"

namespace wnpu::decoder {
namespace {

// Of the weights. In fp32, those that are fp16 numbers are kept as such.
kernels::Number weight_number(models::Precision precision) {
  return precision == models::Precision::fp32 ? kernels::Number::f16 : models::number_of(precision);
}

}  // namespace

PackedDecoder::PackedDecoder(const models::Dims& of_model, const models::DecoderTensors& weights,
                             models::ThreadPool& pool, models::Precision in_precision)
    : dims(of_model),
      precision(in_precision),
      number(weight_number(in_precision)),
      vocabulary(of_model, weights.token_embedding, pool, in_precision),
      positions(of_model.n_text_ctx, of_model.n_text_state),
      ln(weights.ln) {
  const auto pack = [&](std::initializer_list<models::ScaledLinear> parts) {
    return models::pack_linear(pool, number, parts);
  };
  for (const auto& w : weights.layers) {
    layers.push_back({w.attn_ln, pack({{w.attn.query}, {w.attn.key}, {w.attn.value}}),
                      pack({{w.attn.out}}), w.cross_attn_ln, pack({{w.cross_attn.query}}),
                      pack({{w.cross_attn.key}, {w.cross_attn.value}}), pack({{w.cross_attn.out}}),
                      w.mlp_ln, pack({{w.mlp_0}}), pack({{w.mlp_2}})});
  }
  std::ranges::copy(weights.positional_embedding.flat(), positions.flat().begin());
}

}  // namespace wnpu::decoder
