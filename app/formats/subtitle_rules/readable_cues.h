// Cues by the rules of subtitles: where text is cut into cues and lines, and how long each is seen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitle_rules/cue_check.h"

namespace wnpu::app {

// Cues of a transcript of valid UTF-8. Its text is all there, and in its order; white space between
// lines is gone, and right-to-left lines have marks of direction (U+200F) at an end that is no
// letter of theirs. Lines, width, longest duration, gaps and order always hold. Where others cannot
// be kept together the speed yields first, then the shortest duration, then the time of the speech.
std::vector<TimedCue> readable_cues(const Transcript& transcript, const SubtitleRules& rules);

// Rules that yielded, for people: "3 of 40 cues break rules of netflix: speed in 2 (cue 4: expected
// at most 20 characters a second, found 25); short in 1 (cue 9: ...)"; empty: none did.
std::string yielded_text(std::span<const TimedCue> cues, const SubtitleRules& rules);

}  // namespace wnpu::app
