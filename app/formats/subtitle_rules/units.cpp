#include "app/formats/subtitle_rules/units.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/engine/timestamp.h"
#include "models/base/utf8.h"
#include "models/text/clusters.h"
#include "models/text/line_break.h"

namespace wnpu::app {
namespace {

// Seconds that a recording has at most: 100000 hours.
constexpr double kLastSecond = 3.6e8;

// A stretch of the whole text with a time of its own; white space around it takes none.
struct TimedText {
  std::size_t begin = 0;  // byte
  std::size_t size = 0;
  double start = 0;
  double end = 0;
  bool is_of_other = false;  // speaker than what is before it

  double at(std::size_t byte) const {
    const std::size_t inside = std::clamp(byte, begin, begin + size) - begin;
    return start + (end - start) * static_cast<double>(inside) / static_cast<double>(size);
  }
};

// The text of all segments, and its times.
class WholeText {
 public:
  explicit WholeText(const std::vector<Segment>& segments) {
    for (const Segment& segment : segments) {
      begin_segment(segment);
      is_of_other_ = segment.speaker != speaker_ && !times_.empty();
      speaker_ = segment.speaker;
      if (segment.words.empty()) add(segment.text, segment.start, segment.end);
      for (const Word& word : segment.words) add(word.text, word.start, word.end);
    }
  }

  std::string_view text() const { return text_; }
  const std::vector<TimedText>& times() const { return times_; }

 private:
  // Segments that begin without a space are others' words where their script has spaces.
  void begin_segment(const Segment& segment) {
    const std::string& first = segment.words.empty() ? segment.text : segment.words.front().text;
    if (!text_.empty() && !first.empty() && !models::may_break(text_, first)) text_ += ' ';
  }

  void add(const std::string& text, double start, double end) {
    const std::string_view inner = models::strip(text);
    if (inner.empty()) {
      text_ += text;
      return;
    }
    start = std::isfinite(start) ? std::clamp(start, last_, kLastSecond) : last_;
    end = std::isfinite(end) ? std::clamp(end, start, kLastSecond) : start;
    last_ = start;
    times_.push_back({text_.size() + models::leading_space(text), inner.size(), start, end,
                      std::exchange(is_of_other_, false)});
    text_ += text;
  }

  std::string text_;
  std::string speaker_;  // of the last segment
  bool is_of_other_ = false;
  std::vector<TimedText> times_;
  double last_ = 0;  // start
};

class UnitMaker {
 public:
  UnitMaker(const WholeText& whole, const SubtitleRules& rules) : whole_(whole), rules_(rules) {}

  std::vector<Unit> make() {
    const std::string_view text = whole_.text();
    std::string_view before;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t space = models::leading_space(text.substr(at));
      if (space > 0) {
        end_unit();
        is_spaced_ = true;
        at += space;
        continue;
      }
      const models::Cluster cluster = models::cluster_at(text, at);
      if (!unit_.text.empty() && models::may_break(before, cluster.text)) end_unit();
      add(cluster);
      before = cluster.text;
      at += cluster.text.size();
    }
    end_unit();
    return std::move(units_);
  }

 private:
  void add(const models::Cluster& cluster) {
    TextSize size = unit_.size;
    size += text_size(cluster.text);
    if (!unit_.text.empty() && size.columns > line_columns(size, rules_)) {
      end_unit();
      units_.back().after = Break::inside;
      size = text_size(cluster.text);
    }
    const auto begin = static_cast<std::size_t>(cluster.text.data() - whole_.text().data());
    const std::size_t end = begin + cluster.text.size();
    if (unit_.text.empty()) {
      const TimedText& time = time_around(begin);
      unit_.begins_cue = time.is_of_other && time.begin == begin;
      unit_.start = to_milliseconds(time.at(begin));
      unit_.is_spaced = std::exchange(is_spaced_, false);
    }
    const TimedText& last = time_around(end - 1);
    unit_.end = std::max(unit_.start, to_milliseconds(last.at(end)));
    unit_.text += cluster.text;
    unit_.size = size;
  }

  // Stretch that a byte lies in, or the last one in front of it. Bytes come in order.
  const TimedText& time_around(std::size_t byte) {
    const std::vector<TimedText>& times = whole_.times();
    while (time_ + 1 < times.size() && times[time_ + 1].begin <= byte) ++time_;
    return times[time_];
  }

  void end_unit() {
    if (unit_.text.empty()) return;
    unit_.size.words = 1;
    units_.push_back(std::exchange(unit_, {}));
  }

  const WholeText& whole_;
  const SubtitleRules& rules_;
  Unit unit_;
  bool is_spaced_ = false;
  std::size_t time_ = 0;
  std::vector<Unit> units_;
};

}  // namespace

std::vector<Unit> units_of(const Transcript& transcript, const SubtitleRules& rules) {
  const WholeText whole(transcript.segments);
  std::vector<Unit> units = UnitMaker(whole, rules).make();
  const std::string language = transcript.task == "translate" ? "en" : transcript.language;
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    if (units[i].after == Break::inside) continue;
    units[i].after = break_between(units[i].text, units[i + 1].text, language);
  }
  return units;
}

}  // namespace wnpu::app
