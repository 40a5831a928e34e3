#include "encoder/npu_backend.h"

#include "encoder/npu_hybrid_backend.h"
#include "encoder/npu_row_backend.h"

namespace wnpu::encoder {

std::unique_ptr<LayerBackend> make_npu_backend(npu::Device& device, const models::Dims& dims,
                                               const models::EncoderWeights& weights,
                                               models::ThreadPool& pool,
                                               const NpuOptions& options) {
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

}  // namespace wnpu::encoder
