#include <cmath>

#include "encoder/cpu/cpu_layer_backend.h"
#include "models/weights/pack_weights.h"

namespace wnpu::encoder {

CpuLayers::CpuLayers(models::Precision precision, const models::Dims& dims,
                     std::span<const models::EncoderLayerTensors> layers, models::ThreadPool& pool)
    : precision_(precision), dims_(dims) {
  const std::size_t head_size = dims.n_audio_state / dims.n_audio_head;
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  const kernels::DataType number = models::number_of(precision);
  const auto pack = [&](std::initializer_list<models::ScaledLinear> parts) {
    return models::pack_linear(pool, number, parts);
  };
  for (const models::EncoderLayerTensors& w : layers) {
    const auto& [query, key, value, out] = w.attn;
    const auto of_attention = layers_.empty() ? models::first_number_of(precision) : number;
    layers_.push_back({w.attn_ln,
                       models::pack_linear(pool, of_attention, {{query, scale}, {key}, {value}}),
                       models::pack_linear(pool, of_attention, {{out}}), w.mlp_ln,
                       pack({{w.mlp_0}}), pack({{w.mlp_2}})});
  }
}

void CpuLayers::watch(const std::function<kernels::InputWatcher*(const std::string&)>& watcher_of) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::string block = "encoder.blocks." + std::to_string(i);
    layers_[i].qkv.watcher = watcher_of(block + ".attn.query+key+value");
    layers_[i].out.watcher = watcher_of(block + ".attn.out");
    layers_[i].mlp_0.watcher = watcher_of(block + ".mlp.0");
    layers_[i].mlp_2.watcher = watcher_of(block + ".mlp.2");
  }
}

}  // namespace wnpu::encoder
