#include "encoder/npu/tensor_parallel.h"

#include <utility>

#include "models/base/error.h"
#include "models/base/side_by_side.h"
#include "models/base/stage_timer.h"

namespace wnpu::encoder {

TensorParallel::TensorParallel(std::span<NpuArray> arrays, const NpuModel& model)
    : ModelParallel(arrays, model) {
  begin("head", model.dims.n_audio_head);
}

bool TensorParallel::make_parts(const Working& working) {
  members_.clear();
  for (NpuArray& array : arrays_) array.part = npu::LayerPart{};
  const models::Dims& dims = model_.dims;
  const auto parts = npu::divide_heads(npu_shape(dims), working.size());
  for (std::size_t i = 0; i < working.size(); ++i) {
    NpuArray& array = *working[i];
    Member member{&array, nullptr, models::Matrix(dims.n_audio_ctx, dims.n_audio_state)};
    const bool is_made = runs_on(array, [&] {
      member.layers = std::make_unique<NpuPartialLayers>(*array.device, dims, model_.weights,
                                                         parts[i], model_.options);
    });
    if (!is_made) return false;
    array.part = parts[i];
    members_.push_back(std::move(member));
  }
  ends_ = std::make_unique<StemAndNorm>(model_.ends, *working.front()->pool);
  return true;
}

bool TensorParallel::encode_divided(const models::LogMel& mel, models::EncoderStates& out,
                                    const std::function<bool()>& should_stop) {
  const auto start = models::Clock::now();
  std::vector<std::uint64_t> moved_before;
  for (const Member& member : members_) moved_before.push_back(member.array->moved_bytes());
  ends_->begin(mel, out);
  for (std::size_t layer = 0; layer < model_.dims.n_audio_layer; ++layer) {
    for (const Half half : {Half::attention, Half::mlp}) {
      if (should_stop && should_stop()) throw models::Stopped();
      if (!run_half(layer, half, out.values.view())) return false;
    }
  }
  ends_->end(out);
  count(models::seconds_since(start), moved_before);
  return true;
}

bool TensorParallel::run_half(std::size_t layer, Half half, models::MatrixView states) {
  models::side_by_side(members_.size(), [&](std::size_t i) {
    Member& member = members_[i];
    runs_on(*member.array,
            [&] { member.layers->run_half(layer, half, states, member.sum.view()); });
  });
  if (!is_whole()) return false;
  add_up(states);
  return true;
}

void TensorParallel::add_up(models::MatrixView states) {
  members_.front().array->pool->parallel_for(states.rows, [&](std::size_t row, std::size_t) {
    const auto to = states.row(row);
    for (const Member& member : members_) {
      const auto sum = member.sum.row(row);
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += sum[i];
    }
  });
}

void TensorParallel::count(double window_s, const std::vector<std::uint64_t>& moved_before) {
  const std::size_t n_halves = 2 * model_.dims.n_audio_layer;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    NpuArray& array = *members_[i].array;
    ++array.n_windows;
    array.busy_s += window_s;
    const std::uint64_t moved = array.moved_bytes() - moved_before[i];
    // One array would have taken the states in and given them back once.
    array.exchanged_bytes += i == 0 ? moved - moved / n_halves : moved;
  }
}

}  // namespace wnpu::encoder
