// --rtf: how long each stage of transcribe takes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/transcript.h"
#include "bench/bench_options.h"
#include "bench/references.h"
#include "bench/results.h"
#include "bench/transcribe_runs.h"

namespace wnpu::bench {

// One measurement: every file once, all seconds and counts summed over the files.
struct RtfRun {
  app::Timing timing;
  double output_s = 0;
  double total_s = 0;
  std::size_t n_windows = 0;
  std::size_t n_tokens = 0;
  double audio_s = 0;

  void add(const FileRun& file);
  // What of the total no stage accounts for, as a share.
  double rest_share() const;
};

// The files that were asked for: named, or of the references, or the quickstart's sample speech.
std::vector<std::string> files_to_measure(const BenchOptions& options,
                                          const References& references);
// The options that times depend on.
std::vector<std::pair<std::string, std::string>> option_list(const BenchOptions& options,
                                                             const std::vector<std::string>& files,
                                                             const app::Transcript& first);
// What was heard in the last run, with error rates where there are references; and the errors of
// all files together as figures.
void add_heard(const std::string& program, const std::vector<std::string>& files,
               const std::vector<FileRun>& runs, const References& references, Results& results);

}  // namespace wnpu::bench
