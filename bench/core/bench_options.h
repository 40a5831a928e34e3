// Options of `whisper-npu bench`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.h"
#include "bench/core/calibration.h"

namespace wnpu::bench {

// By name without dashes, as they were written.
using GivenOptions = std::vector<std::pair<std::string, std::string>>;

struct BenchOptions {
  // Options as transcribe takes them: files, model, device, search.
  app::Options work;
  // Options of `work` that were given and are not the default.
  GivenOptions given;
  // The value of the mode's option: the baseline of --check, the peers of --against.
  std::string mode_value;
  // Measurements of each kind, after one that warms up.
  std::size_t runs = 10;
  // Tab-separated list with what is said in the files (manifest.h); empty: none.
  std::filesystem::path references;
  // Model size whose shapes --plans and --kernels take (model_sizes.h); empty: that of work.model.
  std::string size = "base";
  // Table that npu first-light measured, for --plans; empty: none.
  std::filesystem::path kernel_table;
  // Sizes of the work that peaks are measured with.
  CalibrationSizes calibration;
  // JSON instead of tables on stdout.
  bool json = false;
};

}  // namespace wnpu::bench
