// Language of a file: as asked for, or heard in its first windows of speech.
#pragma once

#include <optional>
#include <span>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clips.h"
#include "app/engine/windows/recognizer.h"
#include "audio/mel/mel_source.h"

namespace wnpu::app {

// A whole window of 30 s that was encoded before the loop.
struct EncodedWindow {
  std::size_t seek = 0;  // its first frame
  models::EncoderStates states;
};

// Sets language and language_probs of the transcript: as the options say, or from the first windows
// with speech, no_speech_threshold says which, where one that is sure decides, else the language of
// most, and of two with as many the first (faster-whisper's language_detection_threshold and
// language_detection_segments). Where no window has speech the first decides, as openai-whisper
// always has it. Warns where the language is a guess. Returns the first window's states where they
// are those that the loop over the clips begins with. Throws models::Stopped, AudioError,
// DeviceError.
std::optional<EncodedWindow> settle_language(Recognizer& recognizer,
                                             const TranscribeOptions& options,
                                             std::span<const Clip> clips, audio::MelSource& mel,
                                             Transcript& transcript);

// Warns where the text of a model of English alone is improbable.
void warn_of_misfit(Transcript& transcript);

}  // namespace wnpu::app
