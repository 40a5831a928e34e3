// --rtf: how long each stage of transcribe takes; and transcribe as other modes measure it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/options/options.h"
#include "bench/core/bench_options.h"
#include "bench/core/results.h"
#include "bench/input/references.h"

namespace wnpu::bench {

// One file from its bytes to written text.
struct FileRun {
  Transcript transcript;
  double output_s = 0;  // writing the text: all of run() but the transcriber
  double total_s = 0;   // wall clock, load excluded
};

// transcribe itself, loaded once and run on files again and again: app::run with its output thrown
// away and a clock around its parts.
class TranscribeRuns {
 public:
  // Loads the model. `options` are copied.
  explicit TranscribeRuns(const app::Options& options);
  ~TranscribeRuns();
  TranscribeRuns(const TranscribeRuns&) = delete;
  TranscribeRuns& operator=(const TranscribeRuns&) = delete;

  double load_s() const { return load_s_; }
  unsigned threads() const { return session_.threads(); }
  FileRun run(const std::string& file);

 private:
  app::Options options_;
  double load_s_;
  Session session_;
  int null_ = -1;  // descriptor of /dev/null
};

// The text of a transcript, its segments put together.
std::string text_of(const Transcript& transcript);

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
