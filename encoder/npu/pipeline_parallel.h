// Pipeline parallel: each array has some of the layers, and their weights alone. Windows go from
// one to the next, all stages at work at once; the bits are one array's, whose states are handed on
// as they lie in its memory between layers.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "encoder/npu/model_parallel.h"
#include "encoder/stem_and_norm.h"

namespace wnpu::encoder {

class PipelineParallel final : public ModelParallel {
 public:
  // As ModelParallel's; throws npu::DeviceError, also for more arrays than layers.
  PipelineParallel(std::span<NpuArray> arrays, const NpuModel& model);

  // A window a stage.
  std::size_t n_at_once() const override { return arrays_.size(); }

 private:
  struct Stage {
    NpuArray* array = nullptr;
    std::unique_ptr<LayerBackend> layers;
    std::unique_ptr<StemAndNorm> ends;  // of the first and the last stage
    std::mutex at_work;                 // on a window
  };

  bool make_parts(const Working& working) override;
  bool encode_divided(const models::LogMel& mel, models::EncoderStates& out,
                      const std::function<bool()>& should_stop) override;
  void pass(std::size_t stage, const models::LogMel& mel, models::EncoderStates& out,
            const std::function<bool()>& should_stop);

  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace wnpu::encoder
