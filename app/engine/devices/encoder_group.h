// Encoders of a session: one queue of windows over all of them, the CPU or devices.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/devices/cpu_share.h"
#include "app/engine/devices/encoder_set.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "encoder/window_encoder.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"

namespace wnpu::app {

// A window, and where its states go. Both stay the caller's.
struct EncodeJob {
  const models::LogMel* mel;
  models::EncoderStates* states;
};

// The split whose windows are whole.
inline constexpr std::string_view kWholeWindows = "windows";

class EncoderGroup {
 public:
  // Without devices the CPU encodes, with the threads of cpu_pool; with devices each, and the CPU
  // beside them, has its share of n_threads (thread_shares) for the host's part of the work. All
  // arguments must outlive it. Throws Error, ModelError, DeviceError.
  EncoderGroup(const LoadedModel& model, std::size_t n_threads, models::ThreadPool& cpu_pool,
               EncoderSet* devices, const CpuShare& cpu = {});

  bool is_on_device() const { return devices_ != nullptr && fallback_.empty(); }
  // Why the CPU has taken over; empty: it has not.
  const std::string& fallback() const { return fallback_; }

  // Asked while encode() works, from its threads; true makes it throw models::Stopped.
  void set_should_stop(std::function<bool()> should_stop);

  // Each file begins with all devices, whatever failed before, and what describe() counts begins
  // anew. n_at_once: windows that encode() will be given at a time. Throws DeviceError.
  void begin_file(std::size_t n_at_once);

  // Each job once. An encoder that fails at a window is left out for the rest of the file, and the
  // window is done again by others; where none is left the CPU takes over if it may. Throws
  // DeviceError, with every cause, where all have failed.
  void encode(std::span<const EncodeJob> jobs);

  // Fills npu, simulated, devices and split with the devices' identity and counts.
  void describe(DeviceInfo& info) const;

 private:
  struct Member {
    encoder::WindowEncoder* encoder = nullptr;
    DeviceUse use;  // counts for a file; window_s is of all its windows
  };

  encoder::WindowEncoder& cpu();
  void add_member(const NamedEncoder& encoder, double planned_ms);
  // Threads that encode, each with its member: those that have not failed.
  std::vector<Member*> threads();
  // One queue for all of them, or one each, by a plan.
  WindowQueues queues(std::span<const std::size_t> windows, std::span<Member* const> threads) const;
  // Encodes windows of the queue until it is empty or the member has failed.
  void work(Member& member, std::deque<std::size_t>& queue, std::span<const EncodeJob> jobs);
  void finish_on_cpu(std::span<const EncodeJob> jobs, std::span<const std::size_t> left);

  const LoadedModel& model_;
  EncoderSet* devices_;
  CpuShare cpu_share_;
  std::size_t share_ = 0;                         // threads of each device, and of own_pool_
  std::unique_ptr<models::ThreadPool> own_pool_;  // of a CPU that encodes beside devices
  models::ThreadPool* pool_;                      // the CPU encoder's
  std::unique_ptr<encoder::WindowEncoder> cpu_;   // made where it is first needed
  std::vector<Member> members_;                   // none: no file has begun
  std::mutex mutex_;                              // guards queues and members' counts
  std::function<bool()> should_stop_;
  std::string fallback_;
};

}  // namespace wnpu::app
