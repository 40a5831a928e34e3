// Data parallel: each lane encodes whole windows.
#pragma once

#include <memory>
#include <vector>

#include "app/engine/devices/lane.h"
#include "app/engine/devices/window_queue.h"
#include "encoder/encoder.h"

namespace wnpu::app {

// Lanes of one kind take windows as they become free (WindowQueue), for it does not matter which
// takes which. Lanes with planned_ms get theirs by plan_windows(), and what a lane fails on is
// dealt out anew among the others.
class WindowTeam : public LaneTeam {
 public:
  // `lanes` must outlive it. Throws ModelError, DeviceError.
  explicit WindowTeam(Lanes& lanes);

  std::vector<std::size_t> encode(std::span<const EncodeJob> jobs) override;

 private:
  struct Encoding {
    std::unique_ptr<encoder::LayerBackend> layers;
    std::unique_ptr<encoder::Encoder> encoder;
    double window_s = 0;  // what the last window took; 0: none yet
  };

  std::vector<double> window_times() const;
  std::vector<std::size_t> encode_as_they_come(std::span<const EncodeJob> jobs);
  std::vector<std::size_t> encode_by_plan(std::span<const EncodeJob> jobs);
  // Gives what of `windows` a lane has failed on or left.
  std::vector<std::size_t> deal_out(std::span<const std::size_t> windows,
                                    std::span<const EncodeJob> jobs);
  void work(std::size_t lane, std::span<const EncodeJob> jobs, WindowQueue& queue);
  // False where the lane failed.
  bool encode_one(std::size_t lane, const EncodeJob& job);

  Lanes& lanes_;
  std::vector<Encoding> encodings_;  // a lane
};

}  // namespace wnpu::app
