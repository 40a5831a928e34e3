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
  // live: windows are heard as soon as they are whole, one by one; results are the same.
  enum class Pace { file, live };
  Diarizer(const SpeakerModel& model, SpeakerCount count, std::size_t n_threads,
           Pace pace = Pace::file);
  ~Diarizer();

  // Next samples of the recording, any number. Memory grows by what turns need, not by samples.
  void add(std::span<const float> pcm);
  // Turns of what has settled so far, which ends at end_s. Their speakers may have other numbers
  // the next time. Voices are compared anew in each call; of many a part (ClusterRules).
  struct Heard {
    std::vector<SpeakerTurn> turns;
    double end_s = 0;
  };
  [[nodiscard]] Heard so_far() const;
  // Turns of all that was added, by their begin. Nothing may be added any more.
  [[nodiscard]] std::vector<SpeakerTurn> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wnpu::audio
