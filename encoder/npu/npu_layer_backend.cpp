#include "encoder/npu/npu_layer_backend.h"

#include <stdexcept>
#include <string>

namespace wnpu::encoder {
namespace {

npu::LayerWeights layer_weights(const models::EncoderLayerWeights& w) {
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

npu::TunedLayer layer_of(const npu::Device& device, const models::Dims& dims,
                         const NpuOptions& options) {
  const npu::LayerGeometry by_hand = layer_geometry(device, dims, options.precision);
  if (!options.tuned) return {by_hand, {}};
  npu::require_made_for(*options.tuned, device.target(), by_hand.shape);
  return options.tuned->layer();
}

int argument_index(npu::LayerArgument argument) { return static_cast<int>(argument); }

}  // namespace

npu::LayerGeometry layer_geometry(const npu::Device& device, const models::Dims& dims,
                                  npu::Precision precision) {
  if (dims.n_audio_head * npu::kHeadWidth != dims.n_audio_state) {
    throw std::invalid_argument("npu backend: expected heads of " +
                                std::to_string(npu::kHeadWidth) + " columns, found " +
                                std::to_string(dims.n_audio_head) + " heads of " +
                                std::to_string(dims.n_audio_state) + " columns");
  }
  return npu::layer_geometry(
      device.target(),
      {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state}, precision);
}

std::vector<std::unique_ptr<npu::Buffer>> send_weights(npu::Program& program,
                                                       const npu::LayerGeometry& geometry,
                                                       const models::EncoderWeights& weights) {
  std::vector<std::unique_ptr<npu::Buffer>> packed;
  for (const models::EncoderLayerWeights& layer : weights.layers) {
    packed.push_back(
        program.allocate(geometry.weights_bytes, argument_index(npu::LayerArgument::weights)));
    npu::pack_weights(geometry, layer_weights(layer), packed.back()->host());
    packed.back()->to_device();
  }
  return packed;
}

void require_states_shape(std::size_t rows, std::size_t cols, const npu::LayerShape& shape) {
  if (rows == shape.frames && cols == shape.width) return;
  throw std::invalid_argument("npu backend: states: expected [" + std::to_string(shape.frames) +
                              ", " + std::to_string(shape.width) + "], found [" +
                              std::to_string(rows) + ", " + std::to_string(cols) + "]");
}

NpuLayerBackend::NpuLayerBackend(npu::Device& device, const models::Dims& dims,
                                 const models::EncoderWeights& weights, const NpuOptions& options)
    : device_(device), options_(options), layer_(layer_of(device, dims, options)) {
  for (const npu::LayerCall& call :
       options.tuned ? options.tuned->plan.calls : npu::layer_calls(options.plan)) {
    programs_.push_back(device.load(npu::layer_design(layer_, call)));
  }
  const auto allocate = [&](npu::LayerArgument argument) {
    return programs_.front()->allocate(geometry_.argument_bytes(argument),
                                       argument_index(argument));
  };
  weights_ = send_weights(*programs_.front(), geometry_, weights);
  scratch_ = allocate(npu::LayerArgument::scratch);
  states_[0] = allocate(npu::LayerArgument::input);
  states_[1] = allocate(npu::LayerArgument::output);
}

void NpuLayerBackend::load(models::ConstMatrixView x) {
  require_states_shape(x.rows, x.cols, geometry_.shape);
  pending_.clear();
  n_layers_run_ = 0;
  npu::pack_states(geometry_, {x.data, (x.rows - 1) * x.stride + x.cols}, x.stride,
                   states(0).host());
  states(0).to_device();
}

void NpuLayerBackend::run_layer(std::size_t layer) {
  npu::Buffer& input = states(n_layers_run_++);
  npu::Buffer& output = states(n_layers_run_);
  for (const auto& program : programs_) {
    pending_.push_back(
        {program.get(), {&input, weights_.at(layer).get(), scratch_.get(), &output}});
  }
}

void NpuLayerBackend::store(models::MatrixView x) {
  require_states_shape(x.rows, x.cols, geometry_.shape);
  if (!pending_.empty()) device_.run_all(pending_, options_.timeout);
  pending_.clear();
  states(n_layers_run_).from_device();
  npu::unpack_states(geometry_, states(n_layers_run_).host(),
                     {x.data, (x.rows - 1) * x.stride + x.cols}, x.stride);
}

}  // namespace wnpu::encoder
