// Segments or words cut into subtitles: openai/whisper utils.py SubtitlesWriter.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/timestamp.h"
#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitle_rules/rules.h"

namespace wnpu::app {

// How subtitles are cut where there are word timestamps (openai/whisper SubtitlesWriter); an empty
// optional is openai's None.
struct SubtitleLayout {
  std::optional<std::size_t> max_line_width;      // characters
  std::optional<std::size_t> max_line_count;      // lines a subtitle; needs max_line_width
  std::optional<std::size_t> max_words_per_line;  // no effect with max_line_width
  bool highlight_words = false;                   // underline each word as it is spoken
  std::optional<SubtitleRules> rules;             // instead of the others; none: openai's
};

// One subtitle; times as they are printed.
struct Cue {
  std::string start;
  std::string end;
  std::string text;          // may have several lines
  std::string speaker = {};  // that the text does not name; empty: it is not known
};

// "Anna: ", in front of what Anna says; empty without a name.
std::string speaker_prefix(const std::string& speaker);

// Whether the name of a speaker is part of a cue's text, and so of its first line's width.
enum class CueNames { in_text, beside_text };

// One cue a segment; where there are words, cues of words as `layout` says; by its rules in any
// case, with names in the text.
std::vector<Cue> make_cues(const Transcript& transcript, const SubtitleLayout& layout,
                           TimestampStyle style, CueNames names);

// How the rules of `layout` yielded, for people (yielded_text); empty: they did not, or there are
// none.
std::string yielded_rules(const Transcript& transcript, const SubtitleLayout& layout);

}  // namespace wnpu::app
