#include "app/formats/subtitle_rules/cue_check.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/formats/subtitle_rules/word_ties.h"

namespace wnpu::app {
namespace {

struct RuleText {
  std::string_view name;
  std::string_view bound;
  std::string_view unit;
};
// By Rule.
constexpr std::array<RuleText, 13> kRuleTexts{{{"format", "", ""},
                                               {"order", "more than", "s on screen"},
                                               {"overlap", "at least", "s behind the cue before"},
                                               {"gap", "at least", "s behind the cue before"},
                                               {"empty", "at least", "line with text"},
                                               {"lines", "at most", "lines"},
                                               {"width", "at most", "columns in a line"},
                                               {"orphan", "at least", "words that stand alone"},
                                               {"speed", "at most", "characters a second"},
                                               {"pace", "at least", "s a word"},
                                               {"short", "at least", "s on screen"},
                                               {"long", "at most", "s on screen"},
                                               {"late", "at most", "s behind its speech"}}};

// Rounding of the times in a file, in seconds.
constexpr double kRounding = 0.001;
// Seconds between two cues that are read as one sentence.
constexpr double kOneSentence = 1;

double in_seconds(std::int64_t milliseconds) { return static_cast<double>(milliseconds) / 1000; }

std::string short_number(double number) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2f", std::clamp(number, -1e12, 1e12));
  std::string result = text.data();
  result.erase(result.find_last_not_of('0') + 1);
  if (result.ends_with('.')) result.pop_back();
  return result == "-0" ? "0" : result;
}

class CueCheck {
 public:
  CueCheck(std::span<const TimedCue> cues, std::size_t number, std::vector<Violation>& found)
      : cues_(cues), number_(number), cue_(cues[number]), found_(found) {}

  void check_times() {
    if (cue_.end <= cue_.start) tell(Rule::order, 0, duration());
    if (number_ > 0 && pause() < 0) tell(Rule::overlap, 0, pause());
  }

  void check_rules(const SubtitleRules& rules) {
    if (cue_.lines.empty()) tell(Rule::empty, 1, 0);
    TextSize size;
    std::size_t widest = 0;
    const TextSize* orphan = nullptr;
    std::vector<TextSize> lines;
    for (const std::string& line : cue_.lines) lines.push_back(text_size(line));
    for (const TextSize& line : lines) {
      size += line;
      widest = std::max(widest, line.columns);
      if (line.is_orphan()) orphan = &line;
    }
    if (lines.size() > rules.max_lines) tell(Rule::lines, rules.max_lines, lines.size());
    const std::size_t columns = line_columns(size, rules);
    if (widest > columns) tell(Rule::width, columns, widest);
    if ((orphan != nullptr && lines.size() > 1) || is_rest_of_sentence(size)) {
      tell(Rule::orphan, 2, 1);
    }
    if (cue_.end > cue_.start) check_durations(size, rules);
    const double late = in_seconds(cue_.start) - in_seconds(cue_.speech_start.value_or(cue_.start));
    if (late > rules.max_shift + kRounding) tell(Rule::late, rules.max_shift, late);
    const double rest = rules.min_gap - pause();
    if (number_ > 0 && pause() >= 0 && rest > kRounding) tell(Rule::gap, rules.min_gap, pause());
  }

 private:
  template <typename Limit, typename Found>
  void tell(Rule rule, Limit limit, Found found) {
    found_.push_back(
        {rule, number_, cue_.file_line, static_cast<double>(limit), static_cast<double>(found)});
  }

  double duration() const { return in_seconds(cue_.end) - in_seconds(cue_.start); }
  double pause() const {
    return number_ == 0 ? 0 : in_seconds(cue_.start) - in_seconds(cues_[number_ - 1].end);
  }

  bool is_rest_of_sentence(const TextSize& size) const {
    if (number_ == 0 || !size.is_orphan() || size.is_full_width()) return false;
    const std::vector<std::string>& before = cues_[number_ - 1].lines;
    return !before.empty() && pause() < kOneSentence && !closes_sentence(before.back());
  }

  void check_durations(const TextSize& size, const SubtitleRules& rules) {
    const double shown = duration() + kRounding;
    const double speed = speed_limit(size, rules);
    const double characters = read_characters(size);
    if (speed > 0 && characters > speed * shown) tell(Rule::speed, speed, characters / duration());
    const double word = rules.seconds_per_word;
    const auto words = static_cast<double>(size.words);
    if (!size.is_full_width() && word * words > shown) tell(Rule::pace, word, duration() / words);
    if (shown < rules.min_duration) tell(Rule::brief, rules.min_duration, duration());
    if (duration() > rules.max_duration + kRounding) {
      tell(Rule::lasting, rules.max_duration, duration());
    }
  }

  std::span<const TimedCue> cues_;
  std::size_t number_;
  const TimedCue& cue_;
  std::vector<Violation>& found_;
};

}  // namespace

std::string_view name_of(Rule rule) { return kRuleTexts.at(static_cast<std::size_t>(rule)).name; }

std::string text_of(const Violation& violation) {
  if (violation.rule == Rule::format) return violation.text;
  const RuleText& rule = kRuleTexts.at(static_cast<std::size_t>(violation.rule));
  return "expected " + std::string(rule.bound) + " " + short_number(violation.limit) + " " +
         std::string(rule.unit) + ", found " + short_number(violation.found);
}

std::vector<Violation> check_cues(std::span<const TimedCue> cues,
                                  const std::optional<SubtitleRules>& rules) {
  std::vector<Violation> found;
  for (std::size_t i = 0; i < cues.size(); ++i) {
    CueCheck check(cues, i, found);
    check.check_times();
    if (rules) check.check_rules(*rules);
  }
  return found;
}

}  // namespace wnpu::app
