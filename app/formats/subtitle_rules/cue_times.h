// Times of cues: when each is shown, by the speech in it and the rules.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/formats/subtitle_rules/cue_check.h"

namespace wnpu::app {

// A cue with the time of its speech, in milliseconds.
struct CueDraft {
  std::int64_t speech_start = 0;
  std::int64_t speech_end = 0;
  TextSize size;
  std::vector<std::string> lines;
};

// Milliseconds that are no less than `seconds`.
inline std::int64_t milliseconds(double seconds) {
  return static_cast<std::int64_t>(std::ceil(seconds * 1000 - 1e-6));
}

// Cues in their order, no two at once, with the gap between them.
std::vector<TimedCue> timed(std::vector<CueDraft> drafts, const SubtitleRules& rules);

}  // namespace wnpu::app
