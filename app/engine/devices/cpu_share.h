// The CPU beside devices: a plan of who takes which window, settled before any work by times that
// are modelled or stated, the same every time, whatever a clock says, since their bits differ.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "app/engine/devices/encoder_set.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "models/base/dims.h"
#include "models/weights/precision.h"

namespace wnpu::app {

// How the CPU works beside devices, or after them.
struct CpuShare {
  bool is_beside = false;    // it encodes windows too, dealt out by a plan
  double cpu_window_ms = 0;  // what a window takes the CPU, for that plan; 0: modelled
  double npu_window_ms = 0;  // the same of a device
  bool falls_back = false;   // it takes over where all devices have failed
};
// Throws Error(usage) for devices that do not exist.
CpuShare cpu_share_of(const DeviceOptions& options);
// Models the times that are not stated. Throws Error(usage) where there is no time model.
void fill_times(const LoadedModel& model, const EncoderSet& devices, CpuShare& share);

using WindowQueues = std::vector<std::deque<std::size_t>>;

// The windows of each encoder, in order. Windows of one length; window_ms is what one takes each,
// above 0. Each window goes to the encoder that would be the first to have done it, of equal ones
// the first: no schedule of such windows ends sooner.
WindowQueues plan_windows(std::span<const std::size_t> windows, std::span<const double> window_ms);

// Modelled time of a window on the CPU's encoder: its multiply-adds at the rate of a result of
// record (cpu_share.cpp), whatever this machine's CPU and threads are.
double modelled_cpu_window_ms(const models::Dims& dims, models::Precision precision);

// Host threads of a session: each encoder's share of them, and the decoder's. A CPU beside devices
// takes its own from the decoder's; what devices ask of the host is little. At least one each.
struct ThreadShares {
  std::size_t encoder = 1;
  std::size_t decoder = 1;
};
ThreadShares thread_shares(std::size_t n_threads, std::size_t n_devices, bool with_cpu);

}  // namespace wnpu::app
