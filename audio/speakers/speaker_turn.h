// Results of diarisation, and what may be known before it.
#pragma once

namespace wnpu::audio {

// Turn of one speaker. Turns of different speakers may overlap.
struct SpeakerTurn {
  double begin_s = 0;
  double end_s = 0;
  int speaker = 0;  // 0, 1, ... in the order in which speakers begin
};

// Speakers that may be found: 1 <= min <= max.
struct SpeakerCount {
  int min = 1;
  int max = 20;
};

}  // namespace wnpu::audio
