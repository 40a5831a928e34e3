// A stranger's file of subtitles; and the same bytes as what somebody said, cut by rules.
#include <array>
#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitle_rules/readable_cues.h"
#include "app/formats/subtitle_rules/subtitle_file.h"
#include "models/base/utf8.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace wnpu::app;

void check_read(const std::string& text) {
  try {
    const SubtitleFile file = parse_subtitles(text);
    for (const TimedCue& cue : file.cues) {
      for (const std::string& line : cue.lines) {
        if (line.empty() || line.find_first_of("\r\n") != std::string::npos) __builtin_trap();
      }
    }
    for (const Violation& violation : file.violations) {
      if (violation.file_line == 0 || text_of(violation).empty()) __builtin_trap();
    }
    for (const Violation& violation : check_cues(file.cues, SubtitleRules{})) {
      if (violation.cue >= file.cues.size() || text_of(violation).empty()) __builtin_trap();
    }
  } catch (const wnpu::Error&) {
  }
}

// No text breaks what always holds.
void check_cut(const std::string& text) {
  wnpu::Transcript transcript;
  transcript.language = "en";
  transcript.segments.resize(1);
  // Many cues; more would only take longer.
  constexpr std::size_t kMostCharacters = 1000;
  const std::string said = wnpu::models::repair_utf8(text);
  transcript.segments[0].text = wnpu::models::first_characters(said, kMostCharacters);
  transcript.segments[0].end = static_cast<double>(transcript.segments[0].text.size()) / 16;
  const SubtitleRules rules;
  constexpr std::array kHeld{Rule::order, Rule::overlap, Rule::gap,    Rule::empty,
                             Rule::lines, Rule::width,   Rule::lasting};
  for (const Violation& violation : check_cues(readable_cues(transcript, rules), rules)) {
    for (const Rule held : kHeld) {
      if (violation.rule == held) __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text =
      wnpu::fuzz::written_out(wnpu::fuzz::as_text(data, size), wnpu::fuzz::kTextBytes);
  check_read(text);
  check_cut(text);
  return 0;
}
