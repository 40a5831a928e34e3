#include "app/formats/subtitles.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "app/formats/repaired.h"
#include "app/formats/subtitle_rules/readable_cues.h"
#include "models/base/utf8.h"
#include "models/text/line_break.h"

namespace wnpu::app {
namespace {

using TimedWords = std::vector<Word>;

// Limit if none is given: utils.py iterate_result, "or 1000".
constexpr std::size_t kNoLimit = 1000;
// A pause between two words that ends a subtitle, in seconds: utils.py iterate_subtitles.
constexpr double kLongPause = 3.0;

// Fills lines with words and subtitles with lines, one word after the other.
class SubtitleCutter {
 public:
  // `name_length`: characters of the name that each subtitle's first line will have before it.
  SubtitleCutter(const SubtitleLayout& layout, std::size_t name_length, double start)
      : layout_(layout), name_length_(name_length), last_start_(start) {
    keep_segments_ = !layout.max_line_count || !layout.max_line_width;
  }

  // `first_of_chunk`: the word begins a segment, or a group of max_words_per_line.
  void add(Word word, bool first_of_chunk) {
    const std::size_t width = layout_.max_line_width.value_or(kNoLimit);
    const bool long_pause = !keep_segments_ && word.start - last_start_ > kLongPause;
    const bool has_room = line_length_ + models::count_characters(word.text) <= width;
    const bool segment_break = first_of_chunk && !subtitle_.empty() && keep_segments_;
    if (line_length_ > 0 && has_room && !long_pause && !segment_break) {
      line_length_ += models::count_characters(word.text);
    } else {
      begin_line(word, long_pause, segment_break);
    }
    last_start_ = word.start;
    subtitle_.push_back(std::move(word));
  }

  std::vector<TimedWords> finish() {
    end_subtitle();
    return std::move(subtitles_);
  }

 private:
  void begin_line(Word& word, bool long_pause, bool segment_break) {
    word.text = std::string(models::strip(word.text));
    const std::size_t length = models::count_characters(word.text);
    const bool is_full = layout_.max_line_count && line_count_ >= *layout_.max_line_count;
    const bool may_end = !subtitle_.empty() && layout_.max_line_count;
    if ((may_end && (long_pause || is_full)) || segment_break) {
      end_subtitle();
      line_count_ = 1;
    } else if (line_length_ > 0) {
      ++line_count_;
      word.text.insert(0, "\n");
    }
    line_length_ = subtitle_.empty() ? name_length_ + length : length;
  }

  void end_subtitle() {
    if (!subtitle_.empty()) subtitles_.push_back(std::exchange(subtitle_, {}));
  }

  const SubtitleLayout& layout_;
  std::size_t name_length_;
  bool keep_segments_ = true;  // subtitles end where segments end
  double last_start_ = 0;      // of the word before
  std::size_t line_length_ = 0;
  std::size_t line_count_ = 1;
  TimedWords subtitle_;
  std::vector<TimedWords> subtitles_;
};

// The words as lines and --max-words-per-line count them: what no line may end within is one
// ("c" + "'est"), and is harmless in a cue.
TimedWords whole_words(const TimedWords& words) {
  TimedWords whole;
  for (const Word& word : words) {
    if (whole.empty() || models::may_break(whole.back().text, word.text)) {
      whole.push_back(word);
    } else {
      whole.back().text += word.text;
      whole.back().end = word.end;
    }
  }
  // "-->" would be read as a cue's times.
  for (Word& word : whole) word.text = models::replace_all(word.text, "-->", "->");
  return whole;
}

std::vector<TimedWords> cut_words(std::span<const Segment> segments, const SubtitleLayout& layout,
                                  std::size_t name_length) {
  const auto with_words = std::find_if(segments.begin(), segments.end(),
                                       [](const auto& segment) { return !segment.words.empty(); });
  SubtitleCutter cutter(layout, name_length, with_words->words.front().start);
  const std::size_t chunk = layout.max_words_per_line.value_or(kNoLimit);
  for (const Segment& segment : segments) {
    const TimedWords words = whole_words(segment.words);
    for (std::size_t i = 0; i < words.size(); ++i) cutter.add(words[i], i % chunk == 0);
  }
  return cutter.finish();
}

// utils.py: re.sub(r"^(\s*)(.*)$", r"\1<u>\2</u>", word). The dot stops at a newline, so a word
// with one inside stays as it is, and one at the end stays outside.
std::string underline(std::string_view word) {
  const std::size_t space = models::leading_space(word);
  std::string_view inner = word.substr(space);
  const std::size_t newline = inner.find('\n');
  if (newline != std::string_view::npos && newline + 1 != inner.size()) return std::string(word);
  std::string_view tail;
  if (newline != std::string_view::npos) {
    tail = inner.substr(newline);
    inner = inner.substr(0, newline);
  }
  return std::string(word.substr(0, space)) + "<u>" + std::string(inner) + "</u>" +
         std::string(tail);
}

// Cue text for srt and vtt: an empty line would end the cue, and "-->" be read as times.
std::string cue_text(std::string_view text) {
  const std::string plain = models::replace_all(text, "-->", "->");
  std::string lines;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t end = std::min(plain.find_first_of("\r\n", at), plain.size());
    const std::string_view line = std::string_view(plain).substr(at, end - at);
    at = end + 1;
    if (models::strip(line).empty()) continue;
    if (!lines.empty()) lines += '\n';
    lines += line;
  }
  return lines;
}

std::string join(const TimedWords& words) {
  std::string text;
  for (const Word& word : words) text += word.text;
  return text;
}

// One cue for each word, underlined, and one for each pause between two words.
void add_highlighted(const TimedWords& subtitle, TimestampStyle style, const std::string& name,
                     std::vector<Cue>& cues) {
  std::string last = format_timestamp(subtitle.front().start, style);
  for (std::size_t i = 0; i < subtitle.size(); ++i) {
    const std::string start = format_timestamp(subtitle[i].start, style);
    const std::string end = format_timestamp(subtitle[i].end, style);
    if (last != start) cues.push_back({last, start, name + cue_text(join(subtitle))});
    TimedWords highlighted = subtitle;
    highlighted[i].text = underline(subtitle[i].text);
    cues.push_back({start, end, name + cue_text(join(highlighted))});
    last = end;
  }
}

// The name where the speaker changes, as part of the text.
Transcript with_names(Transcript transcript) {
  if (!transcript.speakers) return transcript;
  std::string before;
  for (Segment& segment : transcript.segments) {
    if (segment.speaker.empty() || segment.speaker == before) continue;
    before = segment.speaker;
    std::string& first = segment.words.empty() ? segment.text : segment.words.front().text;
    first = " " + speaker_prefix(before) + std::string(models::strip(first));
  }
  return transcript;
}

std::vector<Cue> cues_by_rules(const Transcript& unnamed, const SubtitleRules& rules,
                               TimestampStyle style) {
  const Transcript transcript = with_names(unnamed);
  std::vector<Cue> cues;
  for (const TimedCue& cue : readable_cues(transcript, rules)) {
    std::string text;
    for (const std::string& line : cue.lines) text += (text.empty() ? "" : "\n") + line;
    cues.push_back({format_timestamp(static_cast<double>(cue.start) / 1000, style),
                    format_timestamp(static_cast<double>(cue.end) / 1000, style), std::move(text)});
  }
  return cues;
}

// Cues of segments of one speaker, whose name, if any, goes before the text of each.
std::vector<Cue> cues_of(std::span<const Segment> segments, const SubtitleLayout& layout,
                         TimestampStyle style, const std::string& name) {
  std::vector<Cue> cues;
  if (std::all_of(segments.begin(), segments.end(),
                  [](const auto& segment) { return segment.words.empty(); })) {
    for (const Segment& segment : segments) {
      cues.push_back({format_timestamp(segment.start, style), format_timestamp(segment.end, style),
                      name + cue_text(models::strip(segment.text))});
    }
    return cues;
  }
  for (const TimedWords& subtitle : cut_words(segments, layout, models::count_characters(name))) {
    if (layout.highlight_words) {
      add_highlighted(subtitle, style, name, cues);
    } else {
      cues.push_back({format_timestamp(subtitle.front().start, style),
                      format_timestamp(subtitle.back().end, style),
                      name + cue_text(join(subtitle))});
    }
  }
  return cues;
}

}  // namespace

std::string speaker_prefix(const std::string& speaker) {
  return speaker.empty() ? "" : speaker + ": ";
}

std::vector<Cue> make_cues(const Transcript& transcript, const SubtitleLayout& layout,
                           TimestampStyle style, CueNames names) {
  if (layout.rules) return cues_by_rules(transcript, *layout.rules, style);
  const std::span<const Segment> segments = transcript.segments;
  std::vector<Cue> cues;
  for (std::size_t first = 0, end = 0; first < segments.size(); first = end) {
    while (end < segments.size() && segments[end].speaker == segments[first].speaker) ++end;
    const std::string& speaker = segments[first].speaker;
    const bool is_in_text = names == CueNames::in_text;
    for (Cue& cue : cues_of(segments.subspan(first, end - first), layout, style,
                            is_in_text ? speaker_prefix(speaker) : "")) {
      if (!is_in_text) cue.speaker = speaker;
      cues.push_back(std::move(cue));
    }
  }
  return cues;
}

std::string yielded_rules(const Transcript& transcript, const SubtitleLayout& layout) {
  if (!layout.rules) return "";
  return yielded_text(readable_cues(with_names(repaired(transcript)), *layout.rules),
                      *layout.rules);
}

}  // namespace wnpu::app
