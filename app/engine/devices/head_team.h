// Tensor parallel: each device has some heads and hidden columns of every layer, and all work on
// one window at once. The host keeps the states in fp32 and adds up the devices' parts in their
// order, twice a layer: bits depend on the number of devices, and on nothing else; they are not
// those of one device that has whole layers.
#pragma once

#include <memory>
#include <vector>

#include "app/engine/devices/lane.h"
#include "encoder/partial_layers.h"
#include "encoder/window_ends.h"

namespace wnpu::app {

// A device that fails leaves its heads and columns to the others: they divide all of them anew, and
// begin the window again.
class HeadTeam final : public DividedTeam {
 public:
  // `lanes`, all devices, must outlive it. Throws DeviceError, also for more devices than heads.
  explicit HeadTeam(Lanes& lanes);

 private:
  struct Member {
    std::size_t lane = 0;
    std::unique_ptr<encoder::PartialLayers> layers;
    models::Matrix sum;  // of its part
  };

  bool make_parts(const std::vector<std::size_t>& working) override;
  // One at a time.
  std::size_t run(std::span<const EncodeJob> jobs) override;
  // False where a device failed.
  bool encode_one(const EncodeJob& job);
  bool run_half(std::size_t layer, encoder::Half half, models::MatrixView states);
  void add_up(models::MatrixView states);

  std::vector<Member> members_;
  std::unique_ptr<encoder::WindowEnds> ends_;  // by the first member's pool
};

}  // namespace wnpu::app
