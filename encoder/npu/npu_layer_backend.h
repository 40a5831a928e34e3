// The transformer layers on an NPU, one program call a layer (plan fused) or a few (plan batched).
// States go to the device once a window and come back once; layers that were asked for in between
// are one submission, or, where memory is limited, one for those whose weights are there at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "encoder/layer_backend.h"
#include "encoder/npu/layer_memory.h"
#include "models/base/dims.h"
#include "models/weights/weights.h"
#include "npu/design/layer_abi.h"
#include "npu/design/layer_design.h"
#include "npu/device.h"
#include "npu/plans/plan.h"
#include "npu/plans/plan_file.h"
#include "npu/plans/split.h"

namespace wnpu::encoder {

struct NpuOptions {
  npu::Precision precision = npu::Precision::bf16;
  npu::Plan plan = npu::Plan::fused;
  std::optional<npu::PlanFile> tuned = {};   // in the place of both
  std::chrono::milliseconds timeout{10000};  // for the layers of one window
  // Bytes of buffers on the device. Where the weights of all layers are more, fewer are there at
  // once and the others are sent when they come; none: no limit.
  std::optional<std::size_t> memory_limit = {};
  // Plan hybrid: in the place of the CPU's GELU, on a row of values. Empty: none.
  std::function<void(std::span<float>)> gelu = {};
  // The model's layers that the backend has, counted from its first one; none: all of them.
  std::optional<npu::LayerRange> layers = {};
};

class NpuLayerBackend : public LayerBackend {
 public:
  // Packs all weights and sends them to the device, which must outlive the backend. Throws
  // DeviceError where the device cannot or the memory limit is too low, std::invalid_argument for a
  // shape that no call can have.
  NpuLayerBackend(npu::Device& device, const models::Dims& dims,
                  const models::EncoderWeights& weights, const NpuOptions& options = {});

  std::size_t n_layers() const override { return weights_.layers(); }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  struct AskedFor {
    std::size_t layer = 0;
    std::size_t n_before = 0;  // layers since load
  };
  // The use of the states that so many layers have made: one layer reads them, the next but one
  // writes over them.
  std::size_t states_use(std::size_t n_layers_run) const;
  npu::Buffer& states(std::size_t n_layers_run) { return buffers_[states_use(n_layers_run)]; }
  // Runs the layers of `asked`, whose weights are on the device at once, as one submission.
  void run_together(std::span<const AskedFor> asked);

  npu::Device& device_;
  NpuOptions options_;
  npu::TunedLayer layer_;
  const npu::LayerGeometry& geometry_ = layer_.geometry;
  std::vector<std::unique_ptr<npu::Program>> programs_;  // the calls of one layer, in order
  npu::DeviceBuffers buffers_;  // weights, scratch, then states, a use a layer
  LayerWeightBuffers weights_;
  std::size_t n_layers_run_ = 0;  // since load
  std::vector<AskedFor> pending_;
};

// For every plan: the layers that the options name, the array's view of a model's layers, what it
// is called in messages, and the refusal of states of another shape.
std::span<const models::EncoderLayerWeights> layers_of(const models::EncoderWeights& weights,
                                                       const NpuOptions& options);
npu::LayerShape npu_shape(const models::Dims& dims);
npu::LayerGeometry layer_geometry(const npu::Device& device, const models::Dims& dims,
                                  npu::Precision precision);
std::string work_name(const NpuOptions& options, const models::Dims& dims);
void require_states_shape(std::size_t rows, std::size_t cols, const npu::LayerShape& shape);

}  // namespace wnpu::encoder
