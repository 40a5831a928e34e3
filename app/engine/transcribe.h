// Audio -> transcript: read the audio, find its clips, settle the language, then the loop over
// their windows (clip_loop.h). Reference: openai/whisper transcribe.py.
#pragma once

#include "app/engine/recognizer.h"
#include "app/engine/whisper_npu.hpp"
#include "audio/read/input.h"
#include "audio/vad/vad_thread.h"

namespace wnpu::app {

// Fills task, language, segments, input, timing (all but load) and warnings of a transcript. `vad`
// finds speech, where the options ask for that. Throws AudioError, DeviceError, models::Stopped
// (before any audio is read; later the transcript is `truncated`), std::invalid_argument (language,
// task).
Transcript transcribe(Recognizer& recognizer, const TranscribeOptions& options,
                      const audio::Input& input, const Callbacks& callbacks = {},
                      audio::VadThread* vad = nullptr);

}  // namespace wnpu::app
