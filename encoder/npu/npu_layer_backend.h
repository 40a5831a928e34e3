// The transformer layers on an NPU, one program call a layer (plan fused) or a few (plan batched).
// States go to the device once a window and come back once; layers that were asked for in between
// are one submission.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "encoder/layer_backend.h"
#include "models/base/dims.h"
#include "models/weights/weights.h"
#include "npu/design/layer_abi.h"
#include "npu/design/layer_design.h"
#include "npu/device.h"
#include "npu/plans/plan.h"
#include "npu/plans/plan_file.h"

namespace wnpu::encoder {

struct NpuOptions {
  npu::Precision precision = npu::Precision::bf16;
  npu::Plan plan = npu::Plan::fused;
  std::optional<npu::PlanFile> tuned = {};   // in the place of both
  std::chrono::milliseconds timeout{10000};  // for the layers of one window
  // Plan hybrid: in the place of the CPU's GELU, on a row of values. Empty: none.
  std::function<void(std::span<float>)> gelu = {};
};

class NpuLayerBackend : public LayerBackend {
 public:
  // Packs all weights and sends them to the device, which must outlive the backend. Throws
  // DeviceError where the device cannot, std::invalid_argument for a shape that no call can have.
  NpuLayerBackend(npu::Device& device, const models::Dims& dims,
                  const models::EncoderWeights& weights, const NpuOptions& options = {});

  std::size_t n_layers() const override { return weights_.size(); }
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  void store(models::MatrixView states) override;

 private:
  npu::Buffer& states(std::size_t n_layers_run) { return *states_[n_layers_run % 2]; }

  npu::Device& device_;
  NpuOptions options_;
  npu::TunedLayer layer_;
  const npu::LayerGeometry& geometry_ = layer_.geometry;
  std::vector<std::unique_ptr<npu::Program>> programs_;  // the calls of one layer, in order
  std::vector<std::unique_ptr<npu::Buffer>> weights_;    // packed, one a layer
  std::unique_ptr<npu::Buffer> scratch_;
  std::unique_ptr<npu::Buffer> states_[2];  // a layer reads one and writes the other
  std::size_t n_layers_run_ = 0;            // since load
  std::vector<npu::Run> pending_;
};

// For every plan: the array's view of a model's layers, their weights packed and on the device, and
// the refusal of states of another shape.
npu::LayerGeometry layer_geometry(const npu::Device& device, const models::Dims& dims,
                                  npu::Precision precision);
std::vector<std::unique_ptr<npu::Buffer>> send_weights(npu::Program& program,
                                                       const npu::LayerGeometry& geometry,
                                                       const models::EncoderWeights& weights);
void require_states_shape(std::size_t rows, std::size_t cols, const npu::LayerShape& shape);

}  // namespace wnpu::encoder
