// A given text's words in a recording.
#pragma once

#include <span>
#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/recording_audio.h"
#include "audio/read/input.h"

namespace wnpu::app {

// A recording and what is said in it.
struct GivenRecording {
  audio::Input input;
  std::span<const std::string> text;  // of each segment
};

// Throws Error(usage) for a text that cannot be aligned with any audio: empty, not UTF-8; for a
// task other than transcribe.
void check_alignment(std::span<const std::string> text, const TranscribeOptions& options);

// Session::align of checked arguments. Throws Error, AudioError, DeviceError, models::Stopped
// (before any audio is read).
Transcript align_file(Recognizer& recognizer, const TranscribeOptions& options,
                      const GivenRecording& given, const Callbacks& callbacks,
                      const Listeners& listeners);

}  // namespace wnpu::app
