// Lane: one encoder, a device or the CPU beside devices, with its counts for a file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/devices/backends.h"
#include "app/engine/loaded_model.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"
#include "npu/plans/split.h"

namespace wnpu::app {

// A window, and where its states go. Both stay the caller's.
struct EncodeJob {
  const models::LogMel* mel;
  models::EncoderStates* states;
};

struct Lane {
  std::string name;
  EncoderDevice* device = nullptr;          // none: the CPU
  std::unique_ptr<models::ThreadPool> own;  // none: another's
  models::ThreadPool* pool = nullptr;       // for the host's part of the work
  double planned_ms = 0;                    // a window, where windows are dealt out by a plan
  std::optional<npu::LayerRange> layers;    // that it has of each window; none: all
  std::optional<npu::LayerPart> part;       // the same
  // Counts for one file:
  std::string failure;  // why it was dropped; empty: it was not
  std::size_t n_windows = 0;
  double busy_s = 0;                  // on windows that it finished
  std::uint64_t exchanged_bytes = 0;  // moved for states that pass between devices

  bool is_working() const { return failure.empty(); }
};

// The lanes of a session, and what all that work with them need.
struct Lanes {
  const LoadedModel& model;
  std::vector<Lane> all;
  std::function<bool()> should_stop;

  // Indexes.
  std::vector<std::size_t> working() const;
};

// Runs f(0) .. f(n - 1) at once: the last n - 1 on threads of their own, or, where the system gives
// none, after those before.
void side_by_side(std::size_t n, const std::function<void(std::size_t)>& f);

// Runs f; false where the lane's device failed, which drops the lane. Throws models::Stopped.
bool runs_on(Lane& lane, const std::function<void()>& f);

double now_s();

// A way to share the work among lanes.
class LaneTeam {
 public:
  virtual ~LaneTeam() = default;

  // Each job once: what a lane fails on is done by others. Gives what is left, in order, where no
  // lane works any more.
  virtual std::vector<std::size_t> encode(std::span<const EncodeJob> jobs) = 0;
};

// A team whose lanes each have a part of the model. Where one fails the others divide the model
// anew.
class DividedTeam : public LaneTeam {
 public:
  std::vector<std::size_t> encode(std::span<const EncodeJob> jobs) override;

 protected:
  // `lanes`, all devices, must outlive it.
  explicit DividedTeam(Lanes& lanes) : lanes_(lanes) {}
  // Divides the model for the first time. Throws DeviceError where a lane cannot have its part, and
  // for more lanes than there are parts ("layer", "head") in the model.
  void begin(const std::string& part, std::size_t n_parts);

  Lanes& lanes_;

 private:
  // Gives each of these lanes its part; false where one failed, which drops it.
  virtual bool make_parts(const std::vector<std::size_t>& working) = 0;
  // Encodes `jobs`, which are not empty, or some of them; gives how many are done, the first ones.
  virtual std::size_t run(std::span<const EncodeJob> jobs) = 0;

  bool divide(const std::vector<std::size_t>& working);

  std::vector<std::size_t> divided_;  // the lanes that have parts
};

}  // namespace wnpu::app
