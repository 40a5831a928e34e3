// A transcript as the parts that lines are made of: words, or characters where a script has no
// spaces, each with its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitle_rules/rules.h"
#include "app/formats/subtitle_rules/word_ties.h"

namespace wnpu::app {

struct Unit {
  std::string text;        // without white space
  bool is_spaced = false;  // white space stands in front of it
  std::int64_t start = 0;  // milliseconds; no unit begins before one in front of it
  std::int64_t end = 0;    // not before `start`
  TextSize size;           // fits into a line
  Break after = Break::plain;
  bool begins_cue = false;  // another speaker begins with it
};

// Units of valid UTF-8. Times of words that are not in order are put in order; a segment without
// words divides its time among its characters, as a word does. A word that is longer than a line
// becomes several units.
std::vector<Unit> units_of(const Transcript& transcript, const SubtitleRules& rules);

}  // namespace wnpu::app
