// How cost grows: with the model's size, threads, sequences decoded side by side, what the array
// computes in, and the length of the audio. Ends within a budget and says what it left out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/core/figure.h"
#include "npu/design/target.h"

namespace wnpu::bench {

struct SweepOptions {
  std::vector<std::string> sizes;    // model_sizes.h; empty: all
  std::vector<std::size_t> threads;  // empty: 1 and `usable_threads`
  std::vector<std::size_t> batches = {1, 8};
  std::vector<double> audio_s = {5, 30, 60, 120};
  double budget_s = 60;  // of wall clock, about
  std::size_t usable_threads = 1;
  std::string preset{npu::kDefaultPreset};
};

struct SweepRow {
  std::string model;
  std::string weights;  // "random", "from its file", "none" where only times are modelled
  std::string work;     // "encoder, a window"
  std::string where;    // "CPU", "phoenix-1.0/published"
  std::string precision;
  Origin origin = Origin::kMeasured;
  std::size_t threads = 0;  // CPU
  std::size_t batch = 1;
  double audio_s = 30;
  double seconds = 0;
  std::string note;  // "2 of 32 layers measured, scaled"
};

// What the budget had no room for.
struct SkippedWork {
  std::string part;     // "large-v3 encoder"
  std::string setting;  // "int16, 1 thread"
  double estimate_s = 0;
};

struct Sweep {
  std::vector<SweepRow> rows;
  std::vector<SkippedWork> skipped;
};

// `progress` hears of each step before it begins. Throws app::UsageError for unknown sizes.
Sweep run_sweep(const SweepOptions& options,
                const std::function<void(const std::string&)>& progress);

}  // namespace wnpu::bench
