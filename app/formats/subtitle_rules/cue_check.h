// Cues of subtitles, and the rules that they break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/formats/subtitle_rules/rules.h"

namespace wnpu::app {

// A cue as it is shown: without markup. Milliseconds.
struct TimedCue {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::vector<std::string> lines;  // valid UTF-8, not empty
  std::size_t file_line = 0;       // that its times stand in; 0: it is of no file
  std::optional<std::int64_t> speech_start = std::nullopt;  // where it is known
};

enum class Rule {
  format,
  order,
  overlap,
  gap,
  empty,
  lines,
  width,
  orphan,
  speed,
  pace,
  brief,
  lasting,
  late
};

struct Violation {
  Rule rule = Rule::format;
  std::size_t cue = 0;        // its place, from 0
  std::size_t file_line = 0;  // from 1; 0: none
  double limit = 0;
  double found = 0;
  std::string text = {};  // of `format`: what was expected and found
};

std::string_view name_of(Rule rule);
// "expected at most 42 columns in a line, found 57"
std::string text_of(const Violation& violation);

// All that breaks a rule, cue by cue. Without rules: order and overlaps alone.
std::vector<Violation> check_cues(std::span<const TimedCue> cues,
                                  const std::optional<SubtitleRules>& rules);

}  // namespace wnpu::app
