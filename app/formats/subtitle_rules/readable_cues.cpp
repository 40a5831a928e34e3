#include "app/formats/subtitle_rules/readable_cues.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "app/formats/subtitle_rules/cue_times.h"
#include "app/formats/subtitle_rules/units.h"
#include "models/base/utf8.h"
#include "models/text/clusters.h"

namespace wnpu::app {
namespace {

// Costs of breaks by Break, of a line and of a cue. These weights and those below are this
// project's own: the guides name no numbers.
constexpr std::array<double, 6> kLineBreaks{0, 2, 4, 8, 25, 60};
constexpr std::array<double, 6> kCueBreaks{0, 6, 10, 14, 40, 80};
constexpr double kCueCost = 6;
constexpr double kOrphanCost = 30;
constexpr double kColumnCost = 0.3;      // of unequal lines
constexpr double kSentenceInside = 8;    // a sentence that ends within a cue
constexpr double kSlowSecond = 25;       // that the speed lacks
constexpr double kShortSecond = 60;      // that the shortest duration lacks
constexpr double kPauseSecond = 10;      // a pause within a cue
constexpr double kPause = 1;             // seconds of silence that end a cue well
constexpr std::size_t kMostUnits = 240;  // of a cue; marks without width could be any number
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::string_view kRightToLeftMark = "\u200F";

double cost_of(const std::array<double, 6>& costs, Break torn) {
  return costs.at(static_cast<std::size_t>(torn));
}

// Best lines of a cue: how bad they are, and where all but the last end.
struct Lines {
  double cost = kNever;
  std::vector<std::size_t> ends;
};

// Finds the cues of the least cost, by the best way to each unit.
class CueCutter {
 public:
  CueCutter(std::span<const Unit> units, const SubtitleRules& rules)
      : units_(units), rules_(rules), columns_(units.size() + 1), spaces_(units.size() + 1) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      columns_[i + 1] = columns_[i] + units[i].size.columns;
      spaces_[i + 1] = spaces_[i] + (units[i].is_spaced ? 1U : 0U);
    }
  }

  std::vector<CueDraft> cut() {
    const std::size_t n = units_.size();
    std::vector<double> costs(n + 1, kNever);
    std::vector<std::size_t> begins(n + 1, 0);
    costs[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      TextSize size;
      std::int64_t end = 0;
      for (std::size_t j = i + 1; j <= std::min(n, i + kMostUnits); ++j) {
        if (j - 1 > i && units_[j - 1].begins_cue) break;
        add(j - 1, j - 1 > i, size);
        end = std::max(end, units_[j - 1].end);
        if (j > i + 1 && !may_hold(i, j, end)) break;
        const double cost = costs[i] + cue_cost(i, j, end, size);
        if (cost >= costs[j]) continue;
        costs[j] = cost;
        begins[j] = i;
      }
    }
    std::vector<CueDraft> cues;
    for (std::size_t j = n; j > 0; j = begins[j]) cues.push_back(draft(begins[j], j));
    std::reverse(cues.begin(), cues.end());
    return cues;
  }

 private:
  void add(std::size_t unit, bool is_behind_another, TextSize& size) const {
    size += units_[unit].size;
    if (!is_behind_another) return;
    const std::size_t spaces = units_[unit].is_spaced ? 1 : 0;
    size.words -= 1 - spaces;
    size.columns += spaces;
    size.characters += spaces;
    size.blanks += spaces;
  }

  std::size_t spaces_in(std::size_t i, std::size_t j) const { return spaces_[j] - spaces_[i + 1]; }
  std::size_t columns_in(std::size_t i, std::size_t j) const {
    return columns_[j] - columns_[i] + spaces_in(i, j);
  }
  bool is_orphan(std::size_t i, std::size_t j) const {
    return TextSize{.columns = columns_in(i, j), .words = 1 + spaces_in(i, j)}.is_orphan();
  }

  // Whether a cue of these units, or of more, may be within the limits.
  bool may_hold(std::size_t i, std::size_t j, std::int64_t end) const {
    const std::size_t widest = std::max(rules_.max_columns, 2 * rules_.max_full_width);
    return columns_in(i, j) <= rules_.max_lines * (widest + 1) &&
           end - units_[i].start <= milliseconds(rules_.max_duration);
  }

  Lines best_lines(std::size_t i, std::size_t j, std::size_t limit, std::size_t n_lines) const {
    if (columns_in(i, j) <= limit) return {0, {}};
    Lines best;
    if (n_lines == 1) return best;
    for (std::size_t k = i + 1; k < j && columns_in(i, k) <= limit; ++k) {
      Lines rest = best_lines(k, j, limit, n_lines - 1);
      const auto here = static_cast<double>(columns_in(i, k));
      const double below =
          static_cast<double>(columns_in(k, j)) / static_cast<double>(rest.ends.size() + 1);
      const double orphans = (is_orphan(i, k) ? 1 : 0) + (is_orphan(k, j) ? 1 : 0);
      const double cost = rest.cost + cost_of(kLineBreaks, units_[k - 1].after) +
                          kColumnCost * std::abs(here - below) + kOrphanCost * orphans;
      if (cost >= best.cost) continue;
      best = {cost, std::move(rest.ends)};
      best.ends.insert(best.ends.begin(), k);
    }
    return best;
  }

  double seconds_to_next(std::size_t j) const {
    return j == units_.size() ? kNever
                              : static_cast<double>(units_[j].start - units_[j - 1].end) / 1000;
  }

  // Cost of what lies between the first and the last unit.
  double inner_cost(std::size_t i, std::size_t j) const {
    double cost = 0;
    for (std::size_t k = i + 1; k < j; ++k) {
      const double pause = seconds_to_next(k);
      if (pause >= kPause) cost += kPauseSecond * pause;
      if (units_[k - 1].after == Break::sentence) cost += kSentenceInside;
    }
    return cost;
  }

  double end_cost(std::size_t i, std::size_t j, const TextSize& size) const {
    const bool is_rest = i > 0 && size.is_orphan() && units_[i - 1].after != Break::sentence;
    const double orphan = is_rest ? kOrphanCost : 0;
    if (j == units_.size()) return orphan;
    const double pause = std::clamp(seconds_to_next(j), 0.0, kPause);
    return orphan + cost_of(kCueBreaks, units_[j - 1].after) * (1 - pause / kPause);
  }

  double time_cost(std::size_t i, std::size_t j, std::int64_t end, const TextSize& size) const {
    const double start = static_cast<double>(units_[i].start) / 1000;
    const double spoken = static_cast<double>(end) / 1000 - start;
    const double room = j == units_.size()
                            ? kNever
                            : static_cast<double>(units_[j].start) / 1000 - rules_.min_gap - start;
    const double most = std::min(room, rules_.max_duration);
    const double slow = seconds_wanted(size, rules_) - std::min(most, spoken + rules_.max_linger);
    const double brief = rules_.min_duration - most;
    return kSlowSecond * std::max(slow, 0.0) + kShortSecond * std::max(brief, 0.0);
  }

  double cue_cost(std::size_t i, std::size_t j, std::int64_t end, const TextSize& size) const {
    const Lines lines = best_lines(i, j, line_columns(size, rules_), rules_.max_lines);
    if (lines.cost == kNever) return kNever;
    return kCueCost + lines.cost + inner_cost(i, j) + end_cost(i, j, size) +
           time_cost(i, j, end, size);
  }

  CueDraft draft(std::size_t i, std::size_t j) const {
    CueDraft cue;
    for (std::size_t k = i; k < j; ++k) {
      add(k, k > i, cue.size);
      cue.speech_end = std::max(cue.speech_end, units_[k].end);
    }
    cue.speech_start = units_[i].start;
    Lines lines = best_lines(i, j, line_columns(cue.size, rules_), rules_.max_lines);
    lines.ends.push_back(j);
    for (const std::size_t end : lines.ends) {
      cue.lines.push_back(line(i, end, cue.size.is_right_to_left()));
      i = end;
    }
    return cue;
  }

  std::string line(std::size_t i, std::size_t j, bool is_right_to_left) const {
    std::string text;
    for (std::size_t k = i; k < j; ++k) {
      if (k > i && units_[k].is_spaced) text += ' ';
      text += units_[k].text;
    }
    text = models::replace_all(text, "-->", "->");  // which would be read as times
    if (!is_right_to_left || text.empty()) return text;
    // A reader's direction is the line's first letter's, and a mark at its end is in none.
    bool has_begin = false;
    bool has_end = false;
    for (std::size_t at = 0; at < text.size();) {
      const models::Cluster cluster = models::cluster_at(text, at);
      has_end = cluster.writing == models::Writing::right_to_left;
      has_begin = has_begin || (at == 0 && has_end);
      at += cluster.text.size();
    }
    if (!has_begin) text.insert(0, kRightToLeftMark);
    if (!has_end) text += kRightToLeftMark;
    return text;
  }

  std::span<const Unit> units_;
  const SubtitleRules& rules_;
  std::vector<std::size_t> columns_;  // of all units in front of one
  std::vector<std::size_t> spaces_;
};

}  // namespace

std::vector<TimedCue> readable_cues(const Transcript& transcript, const SubtitleRules& rules) {
  const std::vector<Unit> units = units_of(transcript, rules);
  return timed(CueCutter(units, rules).cut(), rules);
}

std::string yielded_text(std::span<const TimedCue> cues, const SubtitleRules& rules) {
  const std::vector<Violation> found = check_cues(cues, rules);
  if (found.empty()) return "";
  std::string text;
  std::size_t n_cues = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    n_cues += i == 0 || found[i].cue != found[i - 1].cue ? 1U : 0U;
    const auto is_same = [&](const Violation& other) { return other.rule == found[i].rule; };
    if (std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i), is_same))
      continue;
    text += (text.empty() ? "" : "; ") + std::string(name_of(found[i].rule)) + " in " +
            std::to_string(std::count_if(found.begin(), found.end(), is_same)) + " (cue " +
            std::to_string(found[i].cue + 1) + ": " + text_of(found[i]) + ")";
  }
  return std::to_string(n_cues) + " of " + std::to_string(cues.size()) + " cues break rules of " +
         rules.name + ": " + text;
}

}  // namespace wnpu::app
