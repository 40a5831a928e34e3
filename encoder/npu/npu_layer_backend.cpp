#include "encoder/npu/npu_layer_backend.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wnpu::encoder {
namespace {

npu::TunedLayer layer_of(const npu::Device& device, const models::Dims& dims,
                         const NpuOptions& options) {
  const npu::LayerGeometry by_hand = layer_geometry(device, dims, options.precision);
  if (!options.tuned) return {by_hand, {}};
  npu::require_made_for(*options.tuned, device.target(), by_hand.shape);
  return options.tuned->layer();
}

// Weights of each layer, scratch of each, the states before the first and behind each.
std::vector<npu::BufferUse> layer_uses(const npu::LayerGeometry& geometry, std::size_t layers,
                                       std::size_t resident) {
  using npu::LayerArgument;
  const LayerSteps steps{layers};
  std::vector<npu::BufferUse> uses;
  steps.add_weights(geometry, resident, uses);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    uses.push_back({"scratch", geometry.argument_bytes(LayerArgument::scratch),
                    static_cast<int>(LayerArgument::scratch), layer, layer});
  }
  for (std::size_t i = 0; i <= layers; ++i) {
    const LayerArgument argument = i == 0 ? LayerArgument::input : LayerArgument::output;
    uses.push_back({"states", geometry.argument_bytes(argument), static_cast<int>(argument),
                    i == 0 ? 0 : i - 1, i == layers && i > 0 ? i - 1 : i});
  }
  return uses;
}

}  // namespace

std::span<const models::EncoderLayerWeights> layers_of(const models::EncoderWeights& weights,
                                                       const NpuOptions& options) {
  const std::span<const models::EncoderLayerWeights> all = weights.layers;
  if (!options.layers) return all;
  const npu::LayerRange range = *options.layers;
  if (range.first + range.count > all.size()) {
    throw std::invalid_argument(
        "npu backend: layers: expected some of " + std::to_string(all.size()) + ", found " +
        std::to_string(range.count) + " from " + std::to_string(range.first) + " on");
  }
  return all.subspan(range.first, range.count);
}

npu::LayerShape npu_shape(const models::Dims& dims) {
  return {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state};
}

npu::LayerGeometry layer_geometry(const npu::Device& device, const models::Dims& dims,
                                  npu::Precision precision) {
  if (dims.n_audio_head * npu::kHeadWidth != dims.n_audio_state) {
    throw std::invalid_argument("npu backend: expected heads of " +
                                std::to_string(npu::kHeadWidth) + " columns, found " +
                                std::to_string(dims.n_audio_head) + " heads of " +
                                std::to_string(dims.n_audio_state) + " columns");
  }
  return npu::layer_geometry(device.target(), npu_shape(dims), precision);
}

std::string work_name(const NpuOptions& options, const models::Dims& dims) {
  const std::string plan(options.tuned ? npu::kTunedPlanName : npu::plan_name(options.plan));
  return "npu backend: plan " + plan + ", " + std::to_string(dims.n_audio_layer) +
         " layers of width " + std::to_string(dims.n_audio_state);
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
  const std::span<const models::EncoderLayerWeights> layers = layers_of(weights, options);
  const LayerMemory memory = plan_layers(
      layers.size(), options.memory_limit,
      [&](std::size_t resident) { return layer_uses(geometry_, layers.size(), resident); },
      work_name(options, dims));
  for (const npu::LayerCall& call :
       options.tuned ? options.tuned->plan.calls : npu::layer_calls(options.plan)) {
    programs_.push_back(device.load(npu::layer_design(layer_, call)));
  }
  buffers_ = npu::DeviceBuffers(memory.plan, *programs_.front());
  weights_ = LayerWeightBuffers(geometry_, layers, memory.resident, buffers_);
}

std::size_t NpuLayerBackend::states_use(std::size_t n_layers_run) const {
  const std::size_t layers = weights_.layers();
  const std::size_t first = 2 * layers;  // behind weights and scratch
  if (n_layers_run <= layers) return first + n_layers_run;
  return first + layers - (n_layers_run - layers) % 2;
}

void NpuLayerBackend::load(models::ConstMatrixView x) {
  require_states_shape(x.rows, x.cols, geometry_.shape);
  pending_.clear();
  n_layers_run_ = 0;
  npu::pack_states(geometry_, {x.data, (x.rows - 1) * x.stride + x.cols}, x.stride,
                   states(0).host().first(geometry_.states_bytes));
  states(0).to_device();
}

void NpuLayerBackend::run_layer(std::size_t layer) { pending_.push_back({layer, n_layers_run_++}); }

void NpuLayerBackend::run_together(std::span<const AskedFor> asked) {
  std::vector<npu::Run> runs;
  for (const AskedFor& one : asked) {
    npu::Buffer& input = states(one.n_before);
    npu::Buffer& output = states(one.n_before + 1);
    npu::Buffer& weights = weights_.of(one.layer);
    npu::Buffer& scratch = buffers_[weights_.layers() + one.layer];
    for (const auto& program : programs_) {
      runs.push_back({program.get(), {&input, &weights, &scratch, &output}});
    }
  }
  device_.run_all(runs, options_.timeout);
}

void NpuLayerBackend::store(models::MatrixView x) {
  require_states_shape(x.rows, x.cols, geometry_.shape);
  const std::vector<AskedFor> asked = std::move(pending_);
  pending_.clear();
  for (std::size_t first = 0; first < asked.size();) {
    std::size_t end = first;
    const auto needs_place_of = [&](const AskedFor& other) {
      return weights_.place(other.layer) == weights_.place(asked[end].layer) &&
             other.layer != asked[end].layer;
    };
    while (end < asked.size() &&
           std::none_of(asked.begin() + static_cast<std::ptrdiff_t>(first),
                        asked.begin() + static_cast<std::ptrdiff_t>(end), needs_place_of)) {
      ++end;
    }
    run_together(std::span(asked).subspan(first, end - first));
    first = end;
  }
  states(n_layers_run_).from_device();
  npu::unpack_states(geometry_, states(n_layers_run_).host().first(geometry_.states_bytes),
                     {x.data, (x.rows - 1) * x.stride + x.cols}, x.stride);
}

}  // namespace wnpu::encoder
