#include "app/formats/subtitle_rules/subtitle_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "app/engine/whisper_npu.hpp"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kArrow = "-->";
// Bytes of a tag: what is longer is text.
constexpr std::size_t kMostMarkup = 1024;
// Violations of the format that are told: what has more is another format.
constexpr std::size_t kMostTold = 1000;
constexpr std::string_view kTimeDigits = "0123456789";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return lines;
}

bool is_blank(std::string_view line) { return models::strip(line).empty(); }

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kTimeDigits) == std::string_view::npos;
}

// Takes digits off the front of `text`; none: there are none, or too many.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t& n_digits) {
  n_digits = std::min(text.find_first_not_of(kTimeDigits), text.size());
  std::int64_t number = 0;
  constexpr std::size_t kMostDigits = 9;
  if (n_digits == 0 || n_digits > kMostDigits) return std::nullopt;
  std::from_chars(text.data(), text.data() + n_digits, number);
  text.remove_prefix(n_digits);
  return number;
}

// A time as it was written, in milliseconds.
struct ReadTime {
  std::int64_t milliseconds = 0;
  bool is_exact = true;  // as the format wants it
};

// "01:02:03,004" of SubRip, "02:03.004" or "01:02:03.004" of WebVTT, and what is close to them.
std::optional<ReadTime> read_time(std::string_view text, bool is_vtt) {
  std::array<std::int64_t, 3> parts{};  // hours, minutes, seconds
  ReadTime time;
  std::size_t n_parts = 0;
  std::size_t n_digits = 0;
  while (n_parts < parts.size()) {
    const auto number = take_number(text, n_digits);
    if (!number) return std::nullopt;
    std::rotate(parts.begin(), parts.begin() + 1, parts.end());
    parts.back() = *number;
    const bool is_first = n_parts++ == 0;
    time.is_exact = time.is_exact && (n_digits == 2 || (is_first && n_digits > 2));
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  const auto [hours, minutes, seconds] = parts;
  time.is_exact =
      time.is_exact && minutes < 60 && seconds < 60 && (n_parts == 3 || (is_vtt && n_parts == 2));
  time.milliseconds = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  if (n_parts < 2) return std::nullopt;
  if (text.empty()) return ReadTime{time.milliseconds, false};
  time.is_exact = time.is_exact && text.front() == (is_vtt ? '.' : ',');
  if (text.front() != '.' && text.front() != ',') return std::nullopt;
  text.remove_prefix(1);
  auto fraction = take_number(text, n_digits);
  if (!fraction || !text.empty()) return std::nullopt;
  time.is_exact = time.is_exact && n_digits == 3;
  for (; n_digits < 3; ++n_digits) *fraction *= 10;
  for (; n_digits > 3; --n_digits) *fraction /= 10;
  time.milliseconds += *fraction;
  return time;
}

// The words <i>, </i>, <font ...> and {\an8} of SubRip; all in angle brackets of WebVTT.
bool is_markup(std::string_view tag, bool is_vtt) {
  if (is_vtt) return tag.starts_with('<');
  if (tag.starts_with("{\\")) return true;
  std::string name(tag.substr(1, tag.find_first_of(" >") - 1));
  if (name.starts_with('/')) name.erase(0, 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 5> kTags{"b", "i", "u", "s", "font"};
  return std::ranges::find(kTags, name) != kTags.end();
}

std::string without_markup(std::string_view line, bool is_vtt) {
  std::string text;
  while (!line.empty()) {
    const std::size_t begin = std::min(line.find_first_of("<{"), line.size());
    text += line.substr(0, begin);
    line.remove_prefix(begin);
    if (line.empty()) break;
    const std::size_t end = line.substr(0, kMostMarkup).find(line.front() == '<' ? '>' : '}');
    const bool is_tag = end != std::string_view::npos && is_markup(line.substr(0, end + 1), is_vtt);
    if (!is_tag) text += line.front();
    line.remove_prefix(is_tag ? end + 1 : 1);
  }
  if (!is_vtt) return text;
  constexpr std::array<std::array<std::string_view, 2>, 6> kEscapes{{{"&lt;", "<"},
                                                                     {"&gt;", ">"},
                                                                     {"&nbsp;", " "},
                                                                     {"&lrm;", "\u200E"},
                                                                     {"&rlm;", "\u200F"},
                                                                     {"&amp;", "&"}}};
  for (const auto& [escape, character] : kEscapes) {
    text = models::replace_all(text, escape, character);
  }
  return text;
}

class SubtitleParser {
 public:
  explicit SubtitleParser(std::string_view text) : lines_(lines_of(text)) {
    is_vtt_ = !lines_.empty() && (lines_[0] == "WEBVTT" || lines_[0].starts_with("WEBVTT ") ||
                                  lines_[0].starts_with("WEBVTT\t"));
  }

  SubtitleFile parse() {
    std::size_t at = 0;
    bool has_text = false;
    if (is_vtt_) {
      while (at < lines_.size() && !lines_[at].empty() && !has_arrow(at)) ++at;
      if (at < lines_.size() && has_arrow(at)) tell(at, "an empty line behind WEBVTT");
    }
    while (at < lines_.size()) {
      if (is_blank(lines_[at])) {
        ++at;
      } else {
        has_text = true;
        at = read_block(at);
      }
    }
    if (has_text && file_.cues.empty() && !is_vtt_) {
      throw Error(ErrorCode::audio, "expected SubRip or WebVTT, found no cue");
    }
    return std::move(file_);
  }

 private:
  bool has_arrow(std::size_t at) const { return lines_[at].find(kArrow) != std::string_view::npos; }

  void tell(std::size_t at, const std::string& expected) {
    if (file_.violations.size() == kMostTold) return;
    constexpr std::size_t kShown = 40;
    const std::string_view shown = models::first_characters(lines_[at], kShown);
    file_.violations.push_back({Rule::format, file_.cues.size(), at + 1, 0, 0,
                                "expected " + expected + ", found '" + std::string(shown) + "'"});
  }

  // Reads lines up to an empty one. Returns the line behind them.
  std::size_t read_block(std::size_t at) {
    std::size_t times = at;
    while (times < lines_.size() && !is_blank(lines_[times]) && !has_arrow(times)) ++times;
    if (times == lines_.size() || is_blank(lines_[times])) {
      if (!is_vtt_) tell(at, "a cue's number and times");
      return times;  // WebVTT: a comment, a style, a region
    }
    check_number(at, times);
    return read_cue(times);
  }

  void check_number(std::size_t at, std::size_t times) {
    if (is_vtt_) {
      if (times > at + 1) tell(at, "one line in front of a cue's times");
      return;
    }
    const std::string wanted = std::to_string(++number_);
    const bool is_alone = times == at + 1 && is_number(models::strip(lines_[at]));
    if (!is_alone || models::strip(lines_[at]) != wanted) tell(at, "the number " + wanted);
    std::size_t n_digits = 0;
    std::string_view number = is_alone ? models::strip(lines_[at]) : "";
    number_ = take_number(number, n_digits).value_or(number_);
  }

  std::size_t read_cue(std::size_t at) {
    const std::size_t arrow = lines_[at].find(kArrow);
    const std::string_view behind = models::strip(lines_[at].substr(arrow + kArrow.size()));
    const std::string_view settings =
        behind.substr(std::min(behind.find_first_of(" \t"), behind.size()));
    const auto start = read_time(models::strip(lines_[at].substr(0, arrow)), is_vtt_);
    const auto end = read_time(behind.substr(0, behind.size() - settings.size()), is_vtt_);
    const bool is_exact = start && end && start->is_exact && end->is_exact;
    if (!is_exact) {
      tell(at, is_vtt_ ? "01:02.345 --> 01:04.567" : "00:01:02,345 --> 00:01:04,567");
    }
    TimedCue cue{start ? start->milliseconds : 0, end ? end->milliseconds : 0, {}, at + 1};
    ++at;
    for (; at < lines_.size() && !is_blank(lines_[at]); ++at) {
      const bool is_next_number = !is_vtt_ && is_number(models::strip(lines_[at])) &&
                                  at + 1 < lines_.size() && has_arrow(at + 1);
      if (has_arrow(at) || is_next_number) {
        tell(at, "an empty line between cues");
        break;
      }
      std::string line = without_markup(lines_[at], is_vtt_);
      if (!is_blank(line)) cue.lines.emplace_back(models::strip(line));
    }
    if (start && end) file_.cues.push_back(std::move(cue));
    return at;
  }

  std::vector<std::string_view> lines_;
  bool is_vtt_ = false;
  std::int64_t number_ = 0;  // of the last cue
  SubtitleFile file_;
};

}  // namespace

SubtitleFile parse_subtitles(std::string_view bytes) {
  if (models::is_utf16(bytes.substr(0, 4))) throw Error(ErrorCode::audio, models::kWantsUtf8);
  if (bytes.starts_with(kUtf8Mark)) bytes.remove_prefix(kUtf8Mark.size());
  const std::string text = models::repair_utf8(bytes);
  SubtitleFile file = SubtitleParser(text).parse();
  if (text != bytes) {
    const auto same = std::mismatch(bytes.begin(), bytes.end(), text.begin(), text.end()).first;
    const auto line = 1 + std::count(bytes.begin(), same, '\n');
    file.violations.insert(file.violations.begin(),
                           {Rule::format, 0, static_cast<std::size_t>(line), 0, 0,
                            "expected UTF-8, found other bytes"});
  }
  return file;
}

}  // namespace wnpu::app
