#include "encoder/npu/layer_memory.h"

#include <algorithm>

namespace wnpu::encoder {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

}  // namespace

npu::LayerWeights npu_weights(const models::EncoderLayerWeights& w) {
  return {.norm1_gamma = w.attn_ln.gamma,
          .norm1_beta = w.attn_ln.beta,
          .query = w.attn.query.weight.flat(),
          .query_bias = w.attn.query.bias,
          .key = w.attn.key.weight.flat(),
          .value = w.attn.value.weight.flat(),
          .value_bias = w.attn.value.bias,
          .out = w.attn.out.weight.flat(),
          .out_bias = w.attn.out.bias,
          .norm2_gamma = w.mlp_ln.gamma,
          .norm2_beta = w.mlp_ln.beta,
          .up = w.mlp_0.weight.flat(),
          .up_bias = w.mlp_0.bias,
          .down = w.mlp_2.weight.flat(),
          .down_bias = w.mlp_2.bias};
}

void LayerSteps::add_weights(const npu::LayerGeometry& geometry, std::size_t resident,
                             std::vector<npu::BufferUse>& uses) const {
  for (std::size_t layer = 0; layer < layers; ++layer) {
    // Weights of layers that are resident together are sent before the first of these runs.
    const std::size_t begin = layer / resident * resident;
    const bool stays = layer + resident >= layers;
    uses.push_back({"weights", geometry.weights_bytes,
                    static_cast<int>(npu::LayerArgument::weights), first(begin),
                    last(stays ? layers - 1 : begin + resident - 1)});
  }
}

LayerMemory plan_layers(std::size_t layers, std::optional<std::size_t> limit, const UsesOf& uses_of,
                        const std::string& work) {
  LayerMemory memory;
  for (memory.resident = std::max<std::size_t>(layers, 1);; --memory.resident) {
    memory.uses = uses_of(memory.resident);
    memory.plan = npu::plan_buffers(memory.uses);
    if (!limit || memory.plan.bytes() <= *limit || memory.resident == 1) break;
  }
  npu::require_memory(limit, memory.plan.bytes(), work);
  return memory;
}

LayerWeightBuffers::LayerWeightBuffers(const npu::LayerGeometry& geometry,
                                       std::span<const models::EncoderLayerWeights> layers,
                                       std::size_t resident, npu::DeviceBuffers& buffers)
    : resident_(resident), buffers_(&buffers), there_(resident, kNobody) {
  packed_.resize(layers.size());
  for (std::size_t layer = 0; layer < packed_.size(); ++layer) {
    packed_[layer].resize(geometry.weights_bytes);
    npu::pack_weights(geometry, npu_weights(layers[layer]), packed_[layer]);
    if (resident < packed_.size()) continue;
    of(layer);
    packed_[layer] = {};
  }
}

npu::Buffer& LayerWeightBuffers::of(std::size_t layer) {
  const std::vector<std::byte>& packed = packed_.at(layer);
  npu::Buffer& buffer = (*buffers_)[place(layer)];
  if (there_[place(layer)] != layer) {
    std::copy(packed.begin(), packed.end(), buffer.host().begin());  // by std::ranges byte by byte
    buffer.to_device();
    there_[place(layer)] = layer;
  }
  return buffer;
}

}  // namespace wnpu::encoder
