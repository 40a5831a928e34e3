// SubRip and WebVTT as anybody writes them: a stranger's file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/formats/subtitle_rules/cue_check.h"

namespace wnpu::app {

struct SubtitleFile {
  std::vector<TimedCue> cues;         // in the file's order; lines without markup, and none empty
  std::vector<Violation> violations;  // of the format, in the order of lines
};

// WebVTT where it begins with that word, else SubRip. What a player may read in another way than
// was meant is a violation; a cue whose times are none is left out. Throws Error (audio) for UTF-16
// and for text without any cue; a file without text has none.
SubtitleFile parse_subtitles(std::string_view bytes);

}  // namespace wnpu::app
