// transcribe: one file after the other, results to where they belong, errors to where they count.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/options/options.h"
#include "app/output/output_plan.h"
#include "app/system/checksums.h"
#include "app/system/progress.h"

namespace wnpu::app {

// Throws Error. One of the class audio, library, resources or internal fails the input, and the
// batch goes on with the next one. Every other exception ends the batch.
using TranscribeFn = std::function<Transcript(const std::string& input, const Callbacks&)>;

// The process as run() sees it; tests have their own.
struct Environment {
  int out = 1;  // descriptor of stdout
  std::ostream* err = nullptr;
  bool shows_progress = false;
  bool is_terminal = false;                                               // stdout
  bool shows_colors = false;                                              // in text on stdout
  std::function<std::size_t()> columns = [] { return std::size_t{80}; };  // of the terminal
  // Columns of stdout at which lines of text are broken between words; 0: they are not broken.
  std::function<std::size_t()> text_columns = [] { return std::size_t{0}; };
  // Number of the signal that asked to stop; 0: none did.
  std::function<int()> stop_signal = [] { return 0; };
  // Checksums that several batches share.
  std::shared_ptr<Checksums> checksums = std::make_shared<Checksums>();
};

// Does the inputs after the first `progress.n_ended`, and keeps `progress` up to date. Returns the
// process' exit code. Throws what exit_code_of() knows.
int run(const Options& options, const std::vector<PlannedInput>& plan,
        const TranscribeFn& transcribe, const Environment& environment, BatchProgress& progress);
}  // namespace wnpu::app
