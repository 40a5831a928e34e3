// Which lane takes which window, settled before any work by times that are modelled or stated: the
// same every time, whatever a clock says. For lanes whose bits differ.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/dims.h"
#include "models/weights/precision.h"

namespace wnpu::app {

// The windows of each lane, in order. Windows of one length; window_ms is what one takes each lane,
// above 0. Each window goes to the lane that would be the first to have done it, of equal ones the
// first: no schedule of such windows ends sooner.
std::vector<std::vector<std::size_t>> plan_windows(std::span<const std::size_t> windows,
                                                   std::span<const double> window_ms);

// Modelled time of a window on the CPU's encoder: its multiply-adds at the rate of a result of
// record (lane_plan.cpp), whatever this machine's CPU and threads are.
double modelled_cpu_window_ms(const models::Dims& dims, models::Precision precision);

// Host threads of a session: each lane's share of them, and the decoder's. A CPU among the lanes
// takes its own from the decoder's; what devices ask of the host is little. At least one each.
struct ThreadShares {
  std::size_t lane = 1;
  std::size_t decoder = 1;
};
ThreadShares thread_shares(std::size_t n_threads, std::size_t n_devices, bool with_cpu);

}  // namespace wnpu::app
