// The encoder of a session: log-mel windows -> encoder states, on the CPU, on a device, or on
// several lanes side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/devices/backends.h"
#include "app/engine/devices/lane.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "encoder/encoder.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"
#include "npu/plans/split_model.h"

namespace wnpu::app {

// How several lanes share the work.
struct Division {
  std::optional<npu::Split> split = npu::Split::windows;  // none: the time model chooses
  bool with_cpu = false;           // the CPU is a lane too: windows alone, dealt out by a plan
  double cpu_window_ms = 0;        // what a window takes the CPU, for that plan; 0: modelled
  double npu_window_ms = 0;        // the same of a device
  std::uint64_t memory_limit = 0;  // bytes of buffers on each device, for that choice; 0: none
  bool falls_back = false;         // to the CPU, where all have failed
};

// The split whose windows are whole.
inline constexpr std::string_view kWholeWindows = npu::split_name(npu::Split::windows);

class WindowEncoder {
 public:
  // Without devices the CPU encodes, with the threads of cpu_pool; with devices each lane has its
  // share of n_threads (thread_shares) for the host's part of the work. All arguments must outlive
  // it. A device that fails is left out for the rest of the file; when no lane is left the CPU
  // takes over, where the division says so. Throws Error, ModelError, DeviceError.
  WindowEncoder(const LoadedModel& model, std::size_t n_threads, models::ThreadPool& cpu_pool,
                const std::vector<EncoderDevice*>& devices, const Division& division = {});

  bool is_on_device() const;
  // Why the CPU has taken over; empty: it has not.
  const std::string& fallback() const { return fallback_; }

  // Asked while encode() works, from its threads; true makes it throw models::Stopped.
  void set_should_stop(std::function<bool()> should_stop);

  // Each file begins with all lanes, whatever failed before, and what describe() counts begins
  // anew. n_at_once: windows that encode() will be given at a time, by which a split is chosen.
  // Throws DeviceError.
  void begin_file(std::size_t n_at_once);

  // Each job once. A window on which a device fails is done again by others. Throws DeviceError,
  // with every cause, where all have failed.
  void encode(std::span<const EncodeJob> jobs);

  // Fills npu, simulated, devices and split with the devices' identity and counts.
  void describe(DeviceInfo& info) const;

 private:
  void add_lane(EncoderDevice* device, std::size_t n_threads);
  void plan_times(const Division& division);
  void choose_split(std::size_t n_windows);
  void make_team(npu::Split split);
  // All devices have failed.
  void finish_on_cpu(std::span<const EncodeJob> jobs, const std::vector<std::size_t>& left);
  void take_over(const std::string& failures);
  void describe_split(DeviceInfo& info) const;

  bool falls_back_;
  std::optional<npu::Split> asked_;
  std::uint64_t memory_limit_;
  Lanes lanes_;
  std::unique_ptr<LaneTeam> team_;  // none: the split is yet to be chosen
  npu::Split split_ = npu::Split::windows;
  std::unique_ptr<npu::SplitModel> split_model_;
  std::vector<npu::SplitCost> costs_;  // by which it was chosen
  std::size_t n_at_once_ = 0;          // for which
  // The CPU in the devices' place, made when it is first needed.
  std::unique_ptr<encoder::LayerBackend> cpu_layers_;
  std::unique_ptr<encoder::Encoder> cpu_;
  std::string fallback_;
};

}  // namespace wnpu::app
