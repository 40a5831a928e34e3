// Turns from frames of a recording in which speakers are active or not. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audio/speakers/speaker_turn.h"

namespace wnpu::audio {

struct TurnRules {
  double most_gap_s = 1.0;    // between turns of a speaker that become one
  double least_turn_s = 0.3;  // shorter turns are dropped
};

// Bit i of a frame: speaker i talks. `n_samples` of the recording, whose end no turn passes.
// Speakers are numbered anew, in the order in which they begin; turns by their begin, then by
// speaker.
std::vector<SpeakerTurn> turns_of(std::span<const std::uint32_t> frames, std::size_t n_samples,
                                  const TurnRules& rules = {});

}  // namespace wnpu::audio
