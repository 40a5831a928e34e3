#include "encoder/npu/npu_partial_layers.h"

#include <stdexcept>
#include <string>

namespace wnpu::encoder {
namespace {

npu::LayerGeometry geometry_of(const npu::Device& device, const models::Dims& dims,
                               const npu::LayerPart& part, const NpuOptions& options) {
  if (options.tuned || options.plan != npu::Plan::fused) {
    const std::string found(options.tuned ? npu::kTunedPlanName : npu::plan_name(options.plan));
    throw npu::DeviceError("npu backend: split heads: expected plan fused, found " + found);
  }
  try {
    return npu::part_geometry(device.target(), npu_shape(dims), options.precision, part);
  } catch (const std::invalid_argument& error) {
    throw npu::DeviceError(error.what());
  }
}

std::size_t values_of(models::ConstMatrixView x) { return (x.rows - 1) * x.stride + x.cols; }

}  // namespace

NpuPartialLayers::NpuPartialLayers(npu::Device& device, const models::Dims& dims,
                                   const models::EncoderWeights& weights,
                                   const npu::LayerPart& part, const NpuOptions& options)
    : device_(device), options_(options), geometry_(geometry_of(device, dims, part, options)) {
  using npu::LayerArgument;
  std::size_t bytes = weights.layers.size() * geometry_.weights_bytes;
  for (const auto argument : {LayerArgument::input, LayerArgument::scratch, LayerArgument::output})
    bytes += geometry_.argument_bytes(argument);
  npu::require_memory(options.memory_limit, bytes, work_name(options, dims) + ", split heads");
  const auto calls = npu::part_calls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    programs_[i] = device.load(npu::layer_design(geometry_, calls[i]));
  }
  const auto allocate = [&](npu::LayerArgument argument) {
    return programs_[0]->allocate(geometry_.argument_bytes(argument), static_cast<int>(argument));
  };
  std::vector<float> gathered;
  for (const models::EncoderLayerWeights& layer : weights.layers) {
    weights_.push_back(allocate(npu::LayerArgument::weights));
    const npu::LayerWeights own =
        npu::part_weights(npu_shape(dims), part, npu_weights(layer), gathered);
    npu::pack_weights(geometry_, own, weights_.back()->host());
    weights_.back()->to_device();
  }
  input_ = allocate(npu::LayerArgument::input);
  scratch_ = allocate(npu::LayerArgument::scratch);
  output_ = allocate(npu::LayerArgument::output);
}

void NpuPartialLayers::run_half(std::size_t layer, Half half, models::ConstMatrixView states,
                                models::MatrixView sum) {
  require_states_shape(states.rows, states.cols, geometry_.shape);
  require_states_shape(sum.rows, sum.cols, geometry_.shape);
  npu::pack_states(geometry_, {states.data, values_of(states)}, states.stride, input_->host());
  input_->to_device();
  const npu::Run run{programs_[static_cast<std::size_t>(half)].get(),
                     {input_.get(), weights_.at(layer).get(), scratch_.get(), output_.get()}};
  device_.run_all({&run, 1}, options_.timeout);
  output_->from_device();
  npu::unpack_states(geometry_, output_->host(), {sum.data, values_of(sum)}, sum.stride);
}

}  // namespace wnpu::encoder
