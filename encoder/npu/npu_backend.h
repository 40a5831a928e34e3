// The layer backend of an NPU plan.
#pragma once

#include <memory>

#include "encoder/npu/npu_layer_backend.h"
#include "models/base/thread_pool.h"

namespace wnpu::encoder {

// fused and batched keep the states on the device; hybrid and per-op work on the host in between.
// All arguments must outlive the backend. Throws DeviceError, also where no call
// can have the model's shape or the plan not that precision.
std::unique_ptr<LayerBackend> make_npu_backend(npu::Device& device, const models::Dims& dims,
                                               const models::EncoderWeights& weights,
                                               models::ThreadPool& pool,
                                               const NpuOptions& options = {});

}  // namespace wnpu::encoder
