// transcribe: one file after the other, results to where they belong, errors to where they count.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/callbacks.h"
#include "app/device_choice.h"
#include "app/options.h"
#include "app/output_plan.h"
#include "app/transcript.h"

namespace wnpu::app {

// Throws AudioError for an input that cannot be read: the batch goes on with the next one. Every
// other exception ends the batch.
using TranscribeFn = std::function<Transcript(const std::string& input, const Callbacks&)>;

// What is settled before the first file is opened.
struct Setup {
  ChosenDevice device;
  std::filesystem::path model;  // what --model stands for
  unsigned threads = 1;         // never 0
};

// Throws DeviceError, ModelError.
Setup set_up(const Options& options);

// The process as run() sees it; tests have their own.
struct Environment {
  int out = 1;  // descriptor of stdout
  std::ostream* err = nullptr;
  bool shows_progress = false;
  // Number of the signal that asked to stop; 0: none did.
  std::function<int()> stop_signal = [] { return 0; };
};

// Throws the AudioError of the one input of a batch of one that cannot even be opened, so that a
// wrong name does not cost the load of a model.
void check_inputs(const std::vector<PlannedInput>& plan);

// Returns the process' exit code. Throws what exit_code_of() knows.
int run(const Options& options, const std::vector<PlannedInput>& plan,
        const TranscribeFn& transcribe, const Environment& environment);

}  // namespace wnpu::app
