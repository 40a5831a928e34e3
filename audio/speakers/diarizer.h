// Speakers of a recording: who speaks when, from 16 kHz mono audio.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "audio/speakers/speaker_model.h"
#include "audio/speakers/speaker_turn.h"

namespace wnpu::audio {

class Diarizer {
 public:
  Diarizer(const SpeakerModel& model, SpeakerCount count, std::size_t n_threads);
  ~Diarizer();

  // Next samples of the recording, any number. Memory grows by what turns need, not by samples.
  void add(std::span<const float> pcm);
  // Turns of all that was added, by their begin. Nothing may be added any more.
  [[nodiscard]] std::vector<SpeakerTurn> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wnpu::audio
