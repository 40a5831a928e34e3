// A session's networks that listen while audio is read: for speech, for speakers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recording_audio.h"
#include "audio/speakers/speaker_model.h"
#include "audio/vad/vad_thread.h"

namespace wnpu::app {

// Networks of `folder`, "" for the cache folder. Throws ModelError, which says how to fetch them.
audio::SpeakerModel open_speaker_model(const std::string& folder);

class ListenerSet {
 public:
  // Networks that the options ask for, loaded at the first request. The speech detector has a
  // thread of its own if n_threads is above 1. Throws ModelError.
  Listeners load(const TranscribeOptions& options, std::size_t n_threads);

 private:
  audio::VadThread* load_vad(const VadOptions& options, std::size_t n_threads);
  const audio::SpeakerModel* load_speakers(const SpeakerOptions& options);

  std::unique_ptr<audio::VadThread> vad_;
  std::string vad_weights_;  // of vad_
  std::optional<audio::SpeakerModel> speakers_;
  std::string speaker_weights_;  // of speakers_
};

}  // namespace wnpu::app
