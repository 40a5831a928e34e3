#include "encoder/npu/npu_row_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"
#include "npu/design/layer_design.h"
#include "npu/kernel/bf16.h"

namespace wnpu::encoder {
namespace {

void write_bf16(std::span<const float> values, std::span<std::byte> to) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const npu::bfloat16 value = npu::to_bfloat16(values[i]);
    std::memcpy(&to[i * sizeof(value)], &value, sizeof(value));
  }
}

void read_bf16(std::span<const std::byte> from, std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    npu::bfloat16 value;
    std::memcpy(&value, &from[i * sizeof(value)], sizeof(value));
    values[i] = npu::to_float(value);
  }
}

// Input and output of each call, a step each, and the keys of the last.
std::vector<npu::BufferUse> row_uses(std::span<const npu::Design> calls) {
  std::vector<npu::BufferUse> uses;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    uses.push_back({"input", calls[i].memories[0].bytes, 0, i, i});
    uses.push_back({"output", calls[i].memories[1].bytes, 1, i, i});
  }
  uses.push_back(
      {"keys and values", calls.back().memories[2].bytes, 2, calls.size() - 1, calls.size() - 1});
  return uses;
}

}  // namespace

NpuRowBackend::NpuRowBackend(npu::Device& device, const models::Dims& dims,
                             const models::EncoderWeights& weights, models::ThreadPool& pool,
                             const NpuOptions& options)
    : pool_(pool),
      layers_(layers_of(weights, options)),
      options_(options),
      heads_(layer_geometry(device, dims, options.precision).shape.heads),
      head_geometry_(npu::layer_geometry(device.target(),
                                         {dims.n_audio_ctx, npu::kHeadWidth, 1, npu::kHeadWidth},
                                         npu::Precision::bf16)),
      head_scratch_(head_geometry_.scratch_bytes),
      hidden_(dims.n_audio_ctx, 4 * dims.n_audio_state) {
  if (options.precision != npu::Precision::bf16) {
    throw std::invalid_argument("npu backend: plan per-op: expected precision bf16, found int8");
  }
  const npu::RowShape shape{dims.n_audio_state, dims.n_audio_ctx};
  const std::array designs{row_design(device.target(), npu::RowOp::layer_norm, shape),
                           row_design(device.target(), npu::RowOp::gelu, shape),
                           row_design(device.target(), npu::RowOp::attend, shape)};
  const npu::BufferPlan plan = npu::plan_buffers(row_uses(designs));
  npu::require_memory(options.memory_limit, plan.bytes(), work_name(options, dims));
  const std::array<RowCall*, 3> calls{&norm_, &gelu_, &attend_};
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i]->program = device.load(designs[i]);
  buffers_ = npu::DeviceBuffers(plan, *attend_.program);  // the one that has all arguments
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]->input = &buffers_[2 * i];
    calls[i]->output = &buffers_[2 * i + 1];
  }
  keys_ = &buffers_[2 * calls.size()];
  keys_bytes_ = designs.back().memories[2].bytes;
  for (models::Matrix* m : {&states_, &normed_, &query_, &key_, &value_, &attended_}) {
    *m = models::Matrix(dims.n_audio_ctx, dims.n_audio_state);
  }
}

void NpuRowBackend::load(models::ConstMatrixView x) {
  require_states_shape(x.rows, x.cols, {states_.rows(), states_.cols(), 0, 0});
  models::copy(x, states_.view());
}

void NpuRowBackend::store(models::MatrixView x) {
  require_states_shape(x.rows, x.cols, {states_.rows(), states_.cols(), 0, 0});
  models::copy(states_.view(), x);
}

void NpuRowBackend::run_layer(std::size_t layer) {
  if (layer >= layers_.size()) throw std::out_of_range("npu backend: layer");
  const models::EncoderLayerWeights& w = layers_[layer];
  normalise(w.attn_ln);
  models::linear(pool_, normed_.view(), w.attn.query, query_.view());
  models::linear(pool_, normed_.view(), w.attn.key, key_.view());
  models::linear(pool_, normed_.view(), w.attn.value, value_.view());
  attend();
  models::linear(pool_, attended_.view(), w.attn.out, states_.view(), kernels::Finish::add);
  normalise(w.mlp_ln);
  models::linear(pool_, normed_.view(), w.mlp_0, hidden_.view());
  gelu();
  models::linear(pool_, hidden_.view(), w.mlp_2, states_.view(), kernels::Finish::add);
}

void NpuRowBackend::run_row(RowCall& call, std::span<float> row, npu::Buffer* keys) {
  write_bf16(row, call.input->host());
  call.input->to_device();
  std::array<npu::Buffer*, 3> arguments{call.input, call.output, keys};
  call.program->run(std::span(arguments).first(keys == nullptr ? 2 : 3), options_.timeout);
  call.output->from_device();
  read_bf16(call.output->host(), row);
}

void NpuRowBackend::normalise(const kernels::LayerNorm& norm) {
  models::copy(states_.view(), normed_.view());
  for (std::size_t r = 0; r < normed_.rows(); ++r) {
    const auto row = normed_.row(r);
    run_row(norm_, row, nullptr);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i] * norm.gamma[i] + norm.beta[i];
  }
}

void NpuRowBackend::attend() {
  for (std::size_t head = 0; head < heads_; ++head) attend_head(head);
}

void NpuRowBackend::attend_head(std::size_t head) {
  send_keys(head);
  const float scale = npu::query_scale(npu::kHeadWidth);
  // The first of eight queries, in the left operand's 4x8 blocks: 8 values of each block.
  std::array<float, npu::kRowQueries * npu::kHeadWidth> queries{};
  for (std::size_t r = 0; r < query_.rows(); ++r) {
    const auto query = query_.row(r).subspan(head * npu::kHeadWidth, npu::kHeadWidth);
    queries.fill(0);
    for (std::size_t c = 0; c < query.size(); ++c) queries[c / 8 * 32 + c % 8] = scale * query[c];
    run_row(attend_, queries, keys_);
    // The result comes in 4x4 blocks.
    const auto out = attended_.row(r).subspan(head * npu::kHeadWidth, npu::kHeadWidth);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = queries[c / 4 * 16 + c % 4];
  }
}

void NpuRowBackend::send_keys(std::size_t head) {
  const std::size_t first = head * npu::kHeadWidth;
  const auto write = [&](npu::ScratchPart part, const models::Matrix& m) {
    npu::write_scratch(head_geometry_, part, m.flat().subspan(first), m.cols(), head_scratch_);
  };
  write(npu::ScratchPart::key, key_);
  write(npu::ScratchPart::value, value_);
  const auto blocks =
      std::span(head_scratch_).subspan(head_geometry_.key_value_offset, keys_bytes_);
  std::copy(blocks.begin(), blocks.end(), keys_->host().begin());
  keys_->to_device();
}

void NpuRowBackend::gelu() {
  std::array<float, npu::kGeluChunk> chunk{};
  const auto values = hidden_.flat();
  for (std::size_t first = 0; first < values.size(); first += chunk.size()) {
    const auto part = values.subspan(first, std::min(chunk.size(), values.size() - first));
    std::ranges::copy(part, chunk.begin());
    run_row(gelu_, chunk, nullptr);
    std::ranges::copy(std::span(chunk).first(part.size()), part.begin());
  }
}

}  // namespace wnpu::encoder
