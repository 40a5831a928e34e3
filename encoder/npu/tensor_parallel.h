// Tensor parallel: each array has some heads and hidden columns of every layer, and all work on one
// window at once. The host keeps the states in fp32 and adds up the arrays' parts in their order,
// twice a layer: bits depend on the number of arrays, and on nothing else; they are not those of
// one array that has whole layers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "encoder/npu/model_parallel.h"
#include "encoder/npu/npu_partial_layers.h"
#include "encoder/stem_and_norm.h"

namespace wnpu::encoder {

class TensorParallel final : public ModelParallel {
 public:
  // As ModelParallel's; throws npu::DeviceError, also for more arrays than heads.
  TensorParallel(std::span<NpuArray> arrays, const NpuModel& model);

 private:
  struct Member {
    NpuArray* array = nullptr;
    std::unique_ptr<NpuPartialLayers> layers;
    models::Matrix sum;  // of its part
  };

  bool make_parts(const Working& working) override;
  bool encode_divided(const models::LogMel& mel, models::EncoderStates& out,
                      const std::function<bool()>& should_stop) override;
  bool run_half(std::size_t layer, Half half, models::MatrixView states);
  void add_up(models::MatrixView states);
  // A window is done, which took so long and moved what it did since these bytes.
  void count(double window_s, const std::vector<std::uint64_t>& moved_before);

  std::vector<Member> members_;
  std::unique_ptr<StemAndNorm> ends_;  // by the first member's pool
};

}  // namespace wnpu::encoder
