#include "decoder/model/packed_decoder.h"

#include <algorithm>
#include <initializer_list>

#include "models/weights/pack_weights.h"

namespace wnpu::decoder {

PackedDecoder::PackedDecoder(const models::Dims& of_model, const models::DecoderTensors& weights,
                             models::ThreadPool& pool, models::Precision in_precision)
    : dims(of_model),
      precision(in_precision),
      number(models::step_number_of(in_precision)),
      cross_kv_number(in_precision == models::Precision::fp32 ? number
                                                              : models::number_of(in_precision)),
      vocabulary(of_model, weights.token_embedding, pool, in_precision),
      positions(of_model.n_text_ctx, of_model.n_text_state),
      ln(weights.ln) {
  const auto pack = [&](std::initializer_list<models::ScaledLinear> parts) {
    return models::pack_linear(pool, number, parts);
  };
  for (const auto& w : weights.layers) {
    layers.push_back(
        {w.attn_ln, pack({{w.attn.query}, {w.attn.key}, {w.attn.value}}), pack({{w.attn.out}}),
         w.cross_attn_ln, pack({{w.cross_attn.query}}),
         models::pack_linear(pool, cross_kv_number, {{w.cross_attn.key}, {w.cross_attn.value}}),
         pack({{w.cross_attn.out}}), w.mlp_ln, pack({{w.mlp_0}}), pack({{w.mlp_2}})});
  }
  std::ranges::copy(weights.positional_embedding.flat(), positions.flat().begin());
}

void PackedDecoder::watch(
    const std::function<kernels::InputWatcher*(const std::string&)>& watcher_of) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string block = "decoder.blocks." + std::to_string(i);
    PackedDecoderLayer& layer = layers[i];
    layer.qkv.watcher = watcher_of(block + ".attn.query+key+value");
    layer.out.watcher = watcher_of(block + ".attn.out");
    layer.cross_query.watcher = watcher_of(block + ".cross_attn.query");
    layer.cross_kv.watcher = watcher_of(block + ".cross_attn.key+value");
    layer.cross_out.watcher = watcher_of(block + ".cross_attn.out");
    layer.mlp_0.watcher = watcher_of(block + ".mlp.0");
    layer.mlp_2.watcher = watcher_of(block + ".mlp.2");
  }
}

}  // namespace wnpu::decoder
