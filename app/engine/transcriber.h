// Audio file -> transcript: read the audio, find speech where that is asked for, settle the
// language, then run the window loop (clip_loop.h). Reference: openai/whisper transcribe.py.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/engine/clip_loop.h"
#include "app/engine/recognizer.h"
#include "app/engine/whisper_npu.hpp"
#include "audio/mel/mel_source.h"
#include "audio/vad/vad_thread.h"

namespace wnpu::app {

class Transcriber {
 public:
  // All arguments must outlive the transcriber. `vad` finds speech, where the options ask for that.
  Transcriber(Recognizer& recognizer, const TranscribeOptions& options,
              audio::VadThread* vad = nullptr);

  // Fills task, language, segments, input, timing (all but load) and warnings of a transcript.
  // Throws AudioError, DeviceError, models::Stopped (before any audio is read),
  // std::invalid_argument (language, task).
  Transcript transcribe(const audio::Input& input, const Callbacks& callbacks);

 private:
  // Feeds samples to the detector; false where the work was cancelled.
  bool listen(std::span<const float> samples, const Callbacks& callbacks);
  std::vector<FrameRange> ranges(const audio::MelSource& mel);
  std::vector<FrameRange> speech_ranges(const audio::MelSource& mel);
  std::vector<FrameRange> clip_ranges(const audio::MelSource& mel) const;
  void warn_of_clips_beyond(double duration_s, Transcript& transcript) const;
  // False: cancelled.
  bool decode(audio::MelSource& mel, const std::vector<FrameRange>& ranges, Transcript& transcript,
              const Callbacks& callbacks);
  bool choose_language(audio::MelSource& mel, const std::vector<FrameRange>& ranges,
                       Transcript& transcript);

  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  audio::VadThread* vad_;  // none unless asked for
  double vad_s_ = 0;       // waited for it, in this file
};

}  // namespace wnpu::app
