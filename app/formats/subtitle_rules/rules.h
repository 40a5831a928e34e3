// Rules of subtitles that people can read, and sizes of text as they count them.
//
// Sources: Netflix Timed Text Style Guide, General Requirements (partnerhelp.netflixstudios.com,
// article 215758617: duration, frame gap, line treatment), its guides of languages (English: 42
// characters a line; Korean and Chinese: 16, of which Latin ones count half, articles 216001127,
// 215986007; characters a second are those of SDH, in the language that is spoken, as Subtitle
// Edit's NetflixQualityController lists them), Subtitle Timing Guidelines (article 360051554394:
// chained gaps, half a second behind the speech); BBC Subtitle Guidelines (bbc.co.uk/accessibility/
// forproducts/guides/subtitles: 3.1 line length, in teletext 37 characters, 4.1 seconds a word, 4.5
// gaps, 5.1 a second and a half behind the speech).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace wnpu::app {

// Columns are those of models/text/clusters.h. A cue is full-width where more than half of its
// characters are Chinese, Japanese or Korean. A speed of 0 is no limit.
struct SubtitleRules {
  std::string name = "netflix";       // for messages
  std::size_t max_lines = 2;          // a cue
  std::size_t max_columns = 42;       // a line
  std::size_t max_full_width = 16;    // characters a line of a full-width cue; others are halves
  double characters_per_second = 20;  // spaces are characters too
  double chinese_per_second = 11;     // of full-width cues
  double japanese_per_second = 7;
  double korean_per_second = 14;
  double seconds_per_word = 0;    // of cues that are not full-width
  double min_duration = 5.0 / 6;  // seconds
  double max_duration = 7;
  double min_gap = 2.0 / 24;    // seconds between cues: two frames of a film
  double chain_gap = 0.5;       // shorter gaps are closed to min_gap
  double max_linger = 0.5;      // seconds that a cue stays behind its speech
  double max_shift = 3.0 / 24;  // seconds that a cue begins beside its speech
};

// The names of rules that need no file; "plain" is none of them.
inline constexpr std::array<std::string_view, 2> kRulesNames{"netflix", "bbc"};
std::optional<SubtitleRules> find_rules(std::string_view name);

// Size of a text that stands in one line, or of several together.
struct TextSize {
  std::size_t columns = 0;
  std::size_t characters = 0;  // that are seen
  std::size_t words = 0;       // between white space
  std::size_t han = 0;
  std::size_t kana = 0;
  std::size_t hangul = 0;
  std::size_t right_to_left = 0;
  std::size_t blanks = 0;

  TextSize& operator+=(const TextSize& other);
  bool is_full_width() const { return 2 * (han + kana + hangul) > characters - blanks; }
  bool is_right_to_left() const { return 2 * right_to_left > characters - blanks; }
  // One short word, which is not to stand alone.
  bool is_orphan() const { return words == 1 && columns <= 4; }
};
TextSize text_size(std::string_view text);

// Columns that a line of a cue of this size may have.
std::size_t line_columns(const TextSize& size, const SubtitleRules& rules);
// Characters a second that are allowed; 0: any.
double speed_limit(const TextSize& size, const SubtitleRules& rules);
// Characters as the speed counts them: halves where others are full-width.
double read_characters(const TextSize& size);
// Seconds that a text of this size is to be seen.
double seconds_wanted(const TextSize& size, const SubtitleRules& rules);

}  // namespace wnpu::app
