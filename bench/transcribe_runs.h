// transcribe itself, loaded once and run on files again and again: app::run with its output thrown
// away and a clock around its parts.
#pragma once

#include <memory>
#include <string>

#include "app/file_transcriber.h"
#include "app/options.h"
#include "app/run.h"
#include "app/transcript.h"

namespace wnpu::bench {

// One file from its bytes to written text.
struct FileRun {
  app::Transcript transcript;
  double output_s = 0;  // writing the text: all of run() but the transcriber
  double total_s = 0;   // wall clock, load excluded
  // What the stages do not account for; negative where their clocks overlap.
  double rest_s() const;
};

// Throws Stopped where a signal asked for the end.
class TranscribeRuns {
 public:
  // Loads the model. `options` are copied.
  explicit TranscribeRuns(const app::Options& options);
  ~TranscribeRuns();
  TranscribeRuns(const TranscribeRuns&) = delete;
  TranscribeRuns& operator=(const TranscribeRuns&) = delete;

  double load_s() const { return load_s_; }
  unsigned threads() const { return setup_.threads; }
  FileRun run(const std::string& file);

 private:
  app::Options options_;
  app::Setup setup_;
  double load_s_ = 0;
  std::unique_ptr<app::FileTranscriber> transcriber_;
  int null_ = -1;  // descriptor of /dev/null
};

// A signal asked for the end; bench has no half results.
struct Stopped {
  int exit_code = 0;
};

// The text of a transcript, its segments put together.
std::string text_of(const app::Transcript& transcript);

}  // namespace wnpu::bench
