#include "encoder/npu/npu_backend.h"

#include <stdexcept>

#include "encoder/npu/npu_hybrid_backend.h"
#include "encoder/npu/npu_row_backend.h"

namespace wnpu::encoder {

namespace {

std::unique_ptr<LayerBackend> make_backend(npu::Device& device, const models::Dims& dims,
                                           const models::EncoderWeights& weights,
                                           models::ThreadPool& pool, const NpuOptions& options) {
  switch (options.plan) {
    case npu::Plan::fused:
    case npu::Plan::batched:
      break;
    case npu::Plan::hybrid:
      return std::make_unique<NpuHybridBackend>(device, dims, weights, pool, options);
    case npu::Plan::per_op:
      return std::make_unique<NpuRowBackend>(device, dims, weights, pool, options);
  }
  return std::make_unique<NpuLayerBackend>(device, dims, weights, options);
}

}  // namespace

std::unique_ptr<LayerBackend> make_npu_backend(npu::Device& device, const models::Dims& dims,
                                               const models::EncoderWeights& weights,
                                               models::ThreadPool& pool,
                                               const NpuOptions& options) {
  try {
    return make_backend(device, dims, weights, pool, options);
  } catch (const std::invalid_argument& error) {
    throw npu::DeviceError(error.what());
  }
}

}  // namespace wnpu::encoder
