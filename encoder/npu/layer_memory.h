// A device's memory for the layers of a model: weights of all of them, or of as many at once as a
// limit allows, and buffers for what the layers of a window pass on.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/weights/weights.h"
#include "npu/design/layer_abi.h"
#include "npu/device.h"
#include "npu/memory/buffer_plan.h"

namespace wnpu::encoder {

// Steps are those of a window that runs all layers in order, `steps_a_layer` of them a layer.
struct LayerSteps {
  std::size_t layers = 0;
  std::size_t steps_a_layer = 1;

  std::size_t first(std::size_t layer) const { return layer * steps_a_layer; }
  std::size_t last(std::size_t layer) const { return (layer + 1) * steps_a_layer - 1; }
  // Appended uses of weights, the i-th of layer i: as many layers at once as are `resident`, in
  // turn; the last ones stay.
  void add_weights(const npu::LayerGeometry& geometry, std::size_t resident,
                   std::vector<npu::BufferUse>& uses) const;
};

// Buffers that a backend needs, weights first, with the weights of so many layers resident.
using UsesOf = std::function<std::vector<npu::BufferUse>(std::size_t resident)>;

struct LayerMemory {
  std::size_t resident = 0;  // layers whose weights are on the device at once
  std::vector<npu::BufferUse> uses;
  npu::BufferPlan plan;
};
// With as many resident as the limit allows. Throws DeviceError, which says the least limit that
// would do, where one is too many; `work` is for the message.
LayerMemory plan_layers(std::size_t layers, std::optional<std::size_t> limit, const UsesOf& uses_of,
                        const std::string& work);

// A model's layer as the array wants it.
npu::LayerWeights npu_weights(const models::EncoderLayerWeights& layer);

// The packed weights of all layers in the first uses of `buffers`. Where all are resident they are
// sent once, else when their layer comes, in the place of an earlier one's.
class LayerWeightBuffers {
 public:
  LayerWeightBuffers() = default;
  LayerWeightBuffers(const npu::LayerGeometry& geometry,
                     std::span<const models::EncoderLayerWeights> layers, std::size_t resident,
                     npu::DeviceBuffers& buffers);

  std::size_t layers() const { return packed_.size(); }
  // Two layers of one place cannot be on the device at once.
  std::size_t place(std::size_t layer) const { return layer % resident_; }
  // With the layer's weights there. Throws std::out_of_range for a layer that is not.
  npu::Buffer& of(std::size_t layer);

 private:
  std::size_t resident_ = 1;
  npu::DeviceBuffers* buffers_ = nullptr;
  std::vector<std::vector<std::byte>> packed_;  // one a layer; empty: it stays on the device
  std::vector<std::size_t> there_;              // by place: whose weights are there
};

}  // namespace wnpu::encoder
