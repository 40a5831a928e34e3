// Segments or words cut into subtitles: openai/whisper utils.py SubtitlesWriter.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/timestamp.h"
#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// How subtitles are cut where there are word timestamps (openai/whisper SubtitlesWriter); an empty
// optional is openai's None.
struct SubtitleLayout {
  std::optional<std::size_t> max_line_width;      // characters
  std::optional<std::size_t> max_line_count;      // lines a subtitle; needs max_line_width
  std::optional<std::size_t> max_words_per_line;  // no effect with max_line_width
  bool highlight_words = false;                   // underline each word as it is spoken
};

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
