// transcribe itself, loaded once and run on files again and again: app::run with its output thrown
// away and a clock around its parts.
#pragma once

#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/jobs/run.h"
#include "app/options/options.h"

namespace wnpu::bench {

// One file from its bytes to written text.
struct FileRun {
  Transcript transcript;
  double output_s = 0;  // writing the text: all of run() but the transcriber
  double total_s = 0;   // wall clock, load excluded
};

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

}  // namespace wnpu::bench
