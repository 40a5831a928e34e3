#include "encoder/npu/pipeline_parallel.h"

#include "models/base/error.h"
#include "models/base/stage_timer.h"

namespace wnpu::encoder {

PipelineParallel::PipelineParallel(std::span<NpuArray> arrays, const NpuModel& model)
    : ModelParallel(arrays, model) {
  begin("layer", model.dims.n_audio_layer);
}

bool PipelineParallel::make_parts(const Working& working) {
  stages_.clear();
  for (NpuArray& array : arrays_) array.layers = npu::LayerRange{};
  const auto ranges = npu::divide_layers(model_.dims.n_audio_layer, working.size());
  for (std::size_t i = 0; i < working.size(); ++i) {
    NpuArray& array = *working[i];
    auto stage = std::make_unique<Stage>();
    stage->array = &array;
    NpuOptions options = model_.options;
    options.layers = ranges[i];
    const bool is_made = runs_on(array, [&] {
      stage->layers =
          make_npu_backend(*array.device, model_.dims, model_.weights, *array.pool, options);
    });
    if (!is_made) return false;
    if (i == 0 || i + 1 == working.size()) {
      stage->ends = std::make_unique<StemAndNorm>(model_.ends, *array.pool);
    }
    array.layers = ranges[i];
    stages_.push_back(std::move(stage));
  }
  return true;
}

bool PipelineParallel::encode_divided(const models::LogMel& mel, models::EncoderStates& out,
                                      const std::function<bool()>& should_stop) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage& stage = *stages_[i];
    const std::lock_guard at_work(stage.at_work);
    const auto start = models::Clock::now();
    const bool is_done =
        is_whole() && runs_on(*stage.array, [&] { pass(i, mel, out, should_stop); });
    if (!is_done) return false;
    stage.array->busy_s += models::seconds_since(start);
  }
  for (const auto& stage : stages_) {
    const std::lock_guard at_work(stage->at_work);
    ++stage->array->n_windows;
  }
  return true;
}

// The states lie in the window's own matrix between stages.
void PipelineParallel::pass(std::size_t stage, const models::LogMel& mel,
                            models::EncoderStates& out, const std::function<bool()>& should_stop) {
  Stage& own = *stages_[stage];
  NpuArray& array = *own.array;
  const bool is_first = stage == 0;
  const bool is_last = stage + 1 == stages_.size();
  if (is_first) own.ends->begin(mel, out);
  const models::MatrixView states = out.values.view();
  const std::uint64_t before_load = array.moved_bytes();
  own.layers->load(states);
  if (!is_first) array.exchanged_bytes += array.moved_bytes() - before_load;
  for (std::size_t layer = 0; layer < own.layers->n_layers(); ++layer) {
    if (should_stop && should_stop()) throw models::Stopped();
    own.layers->run_layer(layer);
  }
  const std::uint64_t before_store = array.moved_bytes();
  own.layers->store(states);
  if (!is_last) array.exchanged_bytes += array.moved_bytes() - before_store;
  if (is_last) own.ends->end(out);
}

}  // namespace wnpu::encoder
