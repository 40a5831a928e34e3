// Audio -> transcript: read the audio, find its clips, settle the language, then the loop over
// their windows (clip_loop.h). Reference: openai/whisper transcribe.py.
#pragma once

#include <optional>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clips.h"
#include "app/engine/windows/file_clips.h"
#include "app/engine/windows/recognizer.h"
#include "audio/mel/mel_source.h"
#include "audio/read/input.h"
#include "audio/vad/vad_thread.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {

// A file from its audio to its transcript, in steps, so that several can be at work together.
class FileAtWork {
 public:
  // Reads the audio. `vad` finds speech, where the options ask for that. All arguments must outlive
  // it. Throws AudioError, models::Stopped (none of it was read).
  FileAtWork(Recognizer& recognizer, const TranscribeOptions& options, const audio::Input& input,
             const Callbacks& callbacks, audio::VadThread* vad);
  FileAtWork(FileAtWork&&) = delete;

  // Settles language and clips: what is left is a loop over windows of clips(). Throws
  // models::Stopped, AudioError, DeviceError.
  void begin();
  FileClips& clips() { return *clips_; }
  double duration_s() const { return mel_.duration_s(); }
  // Task, language, segments, input, timing (all but load) and warnings. `is_whole`: no
  // models::Stopped has ended the work.
  Transcript finish(bool is_whole);

 private:
  models::Clock::time_point start_ = models::Clock::now();
  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  const audio::Input& input_;
  const Callbacks& callbacks_;
  Transcript transcript_;
  audio::MelSource mel_;
  std::vector<Clip> found_;  // by the detector, or as the options say
  std::optional<FileClips> clips_;
};

// One file. Throws AudioError, DeviceError, models::Stopped (before any audio is read; later the
// transcript is `truncated`), std::invalid_argument (language, task).
Transcript transcribe_file(Recognizer& recognizer, const TranscribeOptions& options,
                           const audio::Input& input, const Callbacks& callbacks = {},
                           audio::VadThread* vad = nullptr);

}  // namespace wnpu::app
