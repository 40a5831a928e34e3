// Speakers of live speech, told apart by voice while it goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/stream_event.h"
#include "app/stream/live_labels.h"
#include "audio/speakers/diarizer.h"
#include "audio/speakers/speaker_model.h"

namespace wnpu::app {

class LiveSpeakers {
 public:
  // Throws models::ModelError.
  LiveSpeakers(const SpeakerOptions& options, std::size_t n_threads);

  void add(std::span<const std::int16_t> samples);
  // Takes the words of a final event, which are to be labelled.
  void expect(const StreamEvent& event) { labels_.add(event); }
  // Labels that have settled since the last call. Voices are compared anew after 5 s of audio, in
  // long streams after a hundredth of them.
  std::vector<StreamEvent> settled();
  // At the end of the stream: all others.
  std::vector<StreamEvent> rest();

 private:
  std::vector<StreamEvent> labelled(std::vector<audio::SpeakerTurn> turns, double settled_s);

  audio::SpeakerModel model_;
  audio::Diarizer diarizer_;
  LiveLabels labels_;
  std::size_t n_samples_ = 0;
  std::size_t next_ = 0;  // n_samples_ of the next comparison
};

}  // namespace wnpu::app
