// Pipeline parallel: each device has some of the layers, and its weights alone. Windows go from one
// to the next, all stages at work at once; the bits are one device's, whose states are handed on as
// they lie in its memory between layers.
#pragma once

#include <memory>
#include <vector>

#include "app/engine/devices/lane.h"
#include "app/engine/devices/stage_progress.h"
#include "encoder/layer_backend.h"
#include "encoder/window_ends.h"

namespace wnpu::app {

// A device that fails leaves its layers to the others: they divide all of them anew, and begin the
// windows that were on their way again.
class StageTeam final : public DividedTeam {
 public:
  // `lanes`, all devices, must outlive it. Throws DeviceError, also for more devices than layers.
  explicit StageTeam(Lanes& lanes);

 private:
  struct Stage {
    std::size_t lane = 0;
    std::unique_ptr<encoder::LayerBackend> layers;
    std::unique_ptr<encoder::WindowEnds> ends;  // of the first and the last stage
  };

  bool make_parts(const std::vector<std::size_t>& working) override;
  std::size_t run(std::span<const EncodeJob> jobs) override;
  void work(std::size_t stage, std::span<const EncodeJob> jobs, StageProgress& progress);
  // False where the stage's device failed.
  bool pass(std::size_t stage, const EncodeJob& job);
  void pass_through(std::size_t stage, const EncodeJob& job);

  std::vector<Stage> stages_;
};

}  // namespace wnpu::app
