#include "encoder/npu/npu_hybrid_backend.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <stdexcept>

#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"
#include "npu/plans/plan.h"

namespace wnpu::encoder {
namespace {

// Query rows whose scores are held at a time.
constexpr std::size_t kScoreRows = 64;

// Steps are products: `out` is the last that reads the input, `down` alone writes the output.
std::vector<npu::BufferUse> product_uses(const npu::LayerGeometry& geometry, std::size_t layers,
                                         std::size_t resident) {
  using npu::LayerArgument;
  const LayerSteps steps{layers, npu::kGemms};
  std::vector<npu::BufferUse> uses;
  steps.add_weights(geometry, resident, uses);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const auto add = [&](LayerArgument argument, std::size_t first, std::size_t last) {
      uses.push_back(
          {"layer", geometry.argument_bytes(argument), static_cast<int>(argument), first, last});
    };
    const std::size_t first = steps.first(layer);
    add(LayerArgument::input, first, first + static_cast<std::size_t>(npu::Gemm::out));
    add(LayerArgument::scratch, first, steps.last(layer));
    add(LayerArgument::output, steps.last(layer), steps.last(layer));
  }
  return uses;
}

}  // namespace

NpuHybridBackend::NpuHybridBackend(npu::Device& device, const models::Dims& dims,
                                   const models::EncoderWeights& weights, models::ThreadPool& pool,
                                   const NpuOptions& options)
    : pool_(pool),
      options_(options),
      geometry_(layer_geometry(device, dims, options.precision)),
      plain_norm_{std::vector<float>(dims.n_audio_state, 1.0F),
                  std::vector<float>(dims.n_audio_state, 0.0F)},
      hidden_(dims.n_audio_ctx, geometry_.shape.hidden) {
  if (options.precision != npu::Precision::bf16) {
    throw std::invalid_argument("npu backend: plan hybrid: expected precision bf16, found int8");
  }
  const std::span<const models::EncoderLayerWeights> layers = layers_of(weights, options);
  const LayerMemory memory = plan_layers(
      layers.size(), options.memory_limit,
      [&](std::size_t resident) { return product_uses(geometry_, layers.size(), resident); },
      work_name(options, dims));
  for (const npu::LayerCall& call : npu::product_calls()) {
    programs_.push_back(device.load(npu::layer_design(geometry_, call)));
  }
  buffers_ = npu::DeviceBuffers(memory.plan, *programs_.front());
  weights_ = LayerWeightBuffers(geometry_, layers, memory.resident, buffers_);
  for (models::Matrix* m : {&states_, &normed_, &query_, &key_, &value_, &attended_}) {
    *m = models::Matrix(dims.n_audio_ctx, dims.n_audio_state);
  }
  for (std::size_t h = 0; h < dims.n_audio_head; ++h) {
    scores_.emplace_back(kScoreRows, dims.n_audio_ctx);
  }
}

void NpuHybridBackend::load(models::ConstMatrixView x) {
  require_states_shape(x.rows, x.cols, geometry_.shape);
  models::copy(x, states_.view());
}

void NpuHybridBackend::store(models::MatrixView x) {
  require_states_shape(x.rows, x.cols, geometry_.shape);
  models::copy(states_.view(), x);
}

void NpuHybridBackend::run_layer(std::size_t layer) {
  const std::size_t first = weights_.layers() + 3 * layer;
  input_ = &buffers_[first];
  scratch_ = &buffers_[first + 1];
  output_ = &buffers_[first + 2];
  npu::pack_states(geometry_, states_.flat(), states_.cols(), states_of(*input_));
  input_->to_device();
  normalise();
  product(npu::Gemm::qkv, layer);
  attend();
  product(npu::Gemm::out, layer);
  npu::unpack_states(geometry_,
                     scratch_->host().subspan(geometry_.states_offset, geometry_.states_bytes),
                     states_.flat(), states_.cols());
  normalise();
  product(npu::Gemm::up, layer);
  read(npu::ScratchPart::hidden, hidden_);
  gelu();
  write(npu::ScratchPart::hidden, hidden_);
  product(npu::Gemm::down, layer);
  output_->from_device();
  npu::unpack_states(geometry_, states_of(*output_), states_.flat(), states_.cols());
}

void NpuHybridBackend::product(npu::Gemm which, std::size_t layer) {
  scratch_->to_device();
  const std::array<npu::Buffer*, npu::kLayerArguments> arguments{input_, &weights_.of(layer),
                                                                 scratch_, output_};
  programs_[static_cast<std::size_t>(which)]->run(arguments, options_.timeout);
  scratch_->from_device();
}

void NpuHybridBackend::normalise() {
  kernels::layer_norm(pool_, states_.view(), plain_norm_, normed_.view());
  write(npu::ScratchPart::normed, normed_);
}

void NpuHybridBackend::gelu() {
  if (!options_.gelu) return kernels::gelu(pool_, hidden_.view());
  pool_.parallel_for(hidden_.rows(),
                     [&](std::size_t row, std::size_t) { options_.gelu(hidden_.row(row)); });
}

void NpuHybridBackend::attend() {
  read(npu::ScratchPart::query, query_);
  read(npu::ScratchPart::key, key_);
  read(npu::ScratchPart::value, value_);
  pool_.parallel_for(scores_.size(), [&](std::size_t head, std::size_t) { attend_head(head); });
  write(npu::ScratchPart::attention, attended_);
}

void NpuHybridBackend::attend_head(std::size_t head) {
  const std::size_t first = head * npu::kHeadWidth;
  const auto of_head = [&](models::Matrix& m) {
    return m.view().col_range(first, npu::kHeadWidth);
  };
  kernels::F32Matrix keys(npu::kHeadWidth, key_.rows());
  keys.set_columns(0, of_head(key_));
  kernels::F32Matrix values(value_.rows(), npu::kHeadWidth);
  values.set_rows(0, of_head(value_));
  for (std::size_t row = 0; row < query_.rows(); row += kScoreRows) {
    const std::size_t rows = std::min(kScoreRows, query_.rows() - row);
    const models::MatrixView scores = scores_[head].view().row_range(0, rows);
    kernels::gemm({of_head(query_).row_range(row, rows), keys, {}}, scores);
    for (std::size_t r = 0; r < rows; ++r) {
      // The array's queries are scaled for powers of two: 2^s = e^(s ln 2).
      kernels::scale(scores.row(r), std::numbers::ln2_v<float>);
      kernels::softmax(scores.row(r));
    }
    kernels::gemm({scores, values, {}}, of_head(attended_).row_range(row, rows));
  }
}

void NpuHybridBackend::write(npu::ScratchPart part, const models::Matrix& rows) {
  npu::write_scratch(geometry_, part, rows.flat(), rows.cols(), scratch_->host());
}

void NpuHybridBackend::read(npu::ScratchPart part, models::Matrix& rows) {
  npu::read_scratch(geometry_, part, scratch_->host(), rows.flat(), rows.cols());
}

}  // namespace wnpu::encoder
