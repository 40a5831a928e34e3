// --rtf: how long each stage of transcribe takes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "bench/core/bench_options.h"
#include "bench/core/results.h"
#include "bench/input/references.h"
#include "bench/rtf/transcribe_runs.h"

namespace wnpu::bench {

// One measurement: every file once, all seconds and counts summed over the files.
struct RtfRun {
  Timing timing;
  double output_s = 0;
  double total_s = 0;
  std::size_t n_windows = 0;
  std::size_t n_tokens = 0;
  double audio_s = 0;

  void add(const FileRun& file);
  // Share of the total time that no stage accounts for.
  double rest_share() const;
};

// The files that were asked for: named, or of the references, or the quickstart's sample speech.
std::vector<std::string> files_to_measure(const BenchOptions& options,
                                          const References& references);
// The options that times depend on.
std::vector<std::pair<std::string, std::string>> option_list(const BenchOptions& options,
                                                             const std::vector<std::string>& files,
                                                             const Transcript& first);

}  // namespace wnpu::bench
