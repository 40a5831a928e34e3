// The encoder of a session: log-mel windows -> encoder states, on the CPU, on a device, or on
// several devices side by side, a window each.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/engine/devices/backends.h"
#include "app/engine/devices/window_queue.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "encoder/encoder.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"

namespace wnpu::app {

// A window, and where its states go. Both stay the caller's.
struct EncodeJob {
  const models::LogMel* mel;
  models::EncoderStates* states;
};

class WindowEncoder {
 public:
  // Without devices the CPU encodes, with the threads of cpu_pool; with devices n_threads are
  // divided among them for the host's part of the work, at least one each. All arguments must
  // outlive it. A device that fails is dropped; when none is left the CPU takes over for good,
  // where `falls_back`. Throws ModelError, DeviceError.
  WindowEncoder(const LoadedModel& model, std::size_t n_threads, models::ThreadPool& cpu_pool,
                const std::vector<EncoderDevice*>& devices, bool falls_back);

  bool is_on_device() const { return lanes_.back().device != nullptr; }
  // Why the CPU has taken over; empty: it has not.
  const std::string& fallback() const { return fallback_; }

  // Asked while encode() works, from its threads; true makes it throw models::Stopped.
  void set_should_stop(std::function<bool()> should_stop);

  // Each job once. A window on which a device fails is done again by another. Throws DeviceError
  // where all have failed; the next call tries all of them again then.
  void encode(std::span<const EncodeJob> jobs);

  // What describe() counts begins anew.
  void reset_counts();
  // What the devices are and did: fills npu, simulated and devices.
  void describe(DeviceInfo& info) const;

 private:
  // A device, or the CPU, with an encoder of its own.
  struct Lane {
    EncoderDevice* device = nullptr;           // none: the CPU
    std::unique_ptr<models::ThreadPool> pool;  // none: cpu_pool
    std::unique_ptr<encoder::LayerBackend> layers;
    std::unique_ptr<encoder::Encoder> encoder;
    double window_s = 0;  // what the last window took; 0: none yet
    std::size_t n_windows = 0;
    std::string failure;  // why it was dropped; empty: it was not
  };

  void make_encoder(Lane& lane, models::ThreadPool& pool);
  std::vector<double> window_times() const;
  std::vector<std::size_t> working_lanes() const;
  void work_side_by_side(const std::vector<std::size_t>& lanes, std::span<const EncodeJob> jobs,
                         WindowQueue& queue);
  void work(std::size_t lane, std::span<const EncodeJob> jobs, WindowQueue& queue);
  // All devices have failed.
  void finish_on_cpu(std::span<const EncodeJob> jobs, const std::vector<std::size_t>& left);
  void hand_over_to_cpu();

  const LoadedModel& model_;
  models::ThreadPool& cpu_pool_;
  bool falls_back_;
  std::vector<Lane> lanes_;  // the devices; the CPU behind them where it has taken over, or alone
  std::string fallback_;
  std::function<bool()> should_stop_;
};

}  // namespace wnpu::app
