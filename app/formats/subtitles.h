// Segments or words cut into subtitles: openai/whisper utils.py SubtitlesWriter.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/engine/timestamp.h"
#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitle_layout.h"

namespace wnpu::app {

// One subtitle; times as they are printed.
struct Cue {
  std::string start;
  std::string end;
  std::string text;  // may have several lines
};

// One cue a segment; where there are words, cues of words as `layout` says.
std::vector<Cue> make_cues(std::span<const Segment> segments, const SubtitleLayout& layout,
                           TimestampStyle style);

}  // namespace wnpu::app
