// Which language a file speaks.
#pragma once

#include <span>

#include "app/engine/recognizer.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clips.h"
#include "audio/mel/mel_source.h"

namespace wnpu::app {

// Sets language and language_probs of the transcript: as the options say, or from the first
// windows, where one that is sure decides, else the language most of them chose (faster-whisper's
// language_detection_threshold and language_detection_segments; openai-whisper looks at the first
// window alone). Throws models::Stopped, AudioError, DeviceError.
void settle_language(Recognizer& recognizer, const TranscribeOptions& options,
                     std::span<const Clip> clips, audio::MelSource& mel, Transcript& transcript);

}  // namespace wnpu::app
