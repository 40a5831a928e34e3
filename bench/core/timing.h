// How long a piece of work takes, from nanoseconds to seconds.
#pragma once

#include <cstddef>
#include <functional>

#include "bench/core/stats.h"

namespace wnpu::bench {

struct TimingEffort {
  std::size_t samples = 5;
  // A sample repeats the work until it lasts this long: a clock tick is then nothing beside it.
  double least_sample_s = 2e-3;
};

// Seconds of one call, after one that warms up and tells how often a sample repeats the work.
Summary time_calls(const std::function<void()>& work, const TimingEffort& effort = {});

}  // namespace wnpu::bench
