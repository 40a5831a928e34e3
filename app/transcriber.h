// Audio file -> transcript: read the audio, find speech where that is asked for, settle the
// language, then run the window loop (clip_loop.h). Reference: openai/whisper transcribe.py.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/callbacks.h"
#include "app/clip_loop.h"
#include "app/recognizer.h"
#include "app/transcribe_options.h"
#include "app/transcript.h"
#include "audio/mel_source.h"
#include "audio/vad_thread.h"

namespace wnpu::app {

class Transcriber {
 public:
  // `recognizer` must outlive the transcriber. Throws ModelError where the weights of voice
  // activity detection are asked for and missing.
  Transcriber(Recognizer& recognizer, const TranscribeOptions& options);

  // Fills task, language, segments, input, timing (all but load) and warnings of a transcript.
  // Throws AudioError, DeviceError, std::invalid_argument (language, task).
  Transcript transcribe(const audio::Input& input, const Callbacks& callbacks);

 private:
  // Feeds samples to the detector; false where the work was cancelled.
  bool listen(std::span<const float> samples, const Callbacks& callbacks);
  std::vector<FrameRange> ranges(const audio::MelSource& mel);
  std::vector<FrameRange> speech_ranges(const audio::MelSource& mel);
  std::vector<FrameRange> clip_ranges(const audio::MelSource& mel) const;
  // False: cancelled.
  bool choose_language(audio::MelSource& mel, const std::vector<FrameRange>& ranges,
                       Transcript& transcript);

  Recognizer& recognizer_;
  TranscribeOptions options_;
  std::unique_ptr<audio::VadThread> vad_;  // none unless asked for
  double vad_s_ = 0;                       // waited for it, in this file
};

}  // namespace wnpu::app
