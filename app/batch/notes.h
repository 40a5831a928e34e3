// What is said beside the results: of the device, of a file.
#pragma once

#include <string>

#include "app/batch/progress.h"
#include "app/cli/options.h"
#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// What was taken, where that is not what the options say. `threads` is how many there are.
void note_device(const DeviceInfo& device, unsigned threads, const Options& options,
                 Messages& messages);

// "talk.wav: 11.00 s of audio (WAV, 16000 Hz, 1 channel): decoded in 0.01 s, mel in 0.02 s"
std::string dry_run_report(const std::string& input, const Transcript& transcript);

// The transcript's warnings.
void note_warnings(const Transcript& transcript, Messages& messages);
// How the file went.
void note_end(const Transcript& transcript, Messages& messages);

}  // namespace wnpu::app
