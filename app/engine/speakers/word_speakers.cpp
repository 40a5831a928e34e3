#include "app/engine/speakers/word_speakers.h"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace wnpu::app {
namespace {

// Times of words are that far off, in seconds: a turn that is farther away is not theirs.
constexpr double kNear = 0.5;
// Longest run of words that may be a mistake, in seconds and words.
constexpr double kShortRun = 0.6;
constexpr std::size_t kFewWords = 2;
// Longest word that a border may be moved over.
constexpr double kShortWord = 0.4;

double overlap(double begin, double end, const audio::SpeakerTurn& turn) {
  return std::max(0.0, std::min(end, turn.end_s) - std::max(begin, turn.begin_s));
}

bool has_full_stop(std::string_view word) {
  constexpr std::array<std::string_view, 6> kEnds{".", "?", "!", "。", "？", "！"};
  while (word.ends_with('"') || word.ends_with('\'')) word.remove_suffix(1);
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return word.ends_with(end); });
}

// Words from `first` on that are one speaker's: one behind the last.
std::size_t run_end(std::span<const SpeakerId> speakers, std::size_t first) {
  std::size_t end = first + 1;
  while (end < speakers.size() && speakers[end] == speakers[first]) ++end;
  return end;
}

void smooth_flips(std::span<const decoder::Word> words, const TurnList& turns,
                  std::vector<SpeakerId>& speakers) {
  for (std::size_t first = run_end(speakers, 0), end = 0; first < words.size(); first = end) {
    end = run_end(speakers, first);
    if (end == words.size()) return;
    const SpeakerId around = speakers[first - 1];
    const double begin_s = words[first].start;
    const double length = words[end - 1].end - begin_s;
    if (speakers[end] != around || end - first > kFewWords || length > kShortRun) continue;
    const double of_around = turns.seconds(begin_s, begin_s + length)[*around];
    if (of_around * 2 >= length)
      std::fill_n(speakers.begin() + static_cast<std::ptrdiff_t>(first), end - first, around);
  }
}

// Borders that are one short word away from the end of a sentence.
void move_to_sentences(std::span<const decoder::Word> words, std::vector<SpeakerId>& speakers) {
  const auto is_short = [&](std::size_t i) { return words[i].end - words[i].start < kShortWord; };
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (speakers[i] == speakers[i - 1] || has_full_stop(words[i - 1].text)) continue;
    const bool begins_late = i > 1 && speakers[i - 2] == speakers[i - 1] && is_short(i - 1) &&
                             has_full_stop(words[i - 2].text);
    const bool ends_late = i + 1 < words.size() && speakers[i + 1] == speakers[i] && is_short(i) &&
                           has_full_stop(words[i].text);
    if (begins_late) speakers[i - 1] = speakers[i];
    if (ends_late && !begins_late) speakers[i] = speakers[i - 1];
  }
}

SpeakerId speaker_of(const decoder::Word& word, SpeakerId before, const TurnList& turns) {
  const std::vector<double> seconds = turns.seconds(word.start, word.end);
  const auto most = std::ranges::max_element(seconds);
  if (most == seconds.end()) return {};
  if (*most == 0) return turns.nearest(word.start, word.end);
  if (before && seconds[*before] == *most) return before;
  return static_cast<std::size_t>(most - seconds.begin());
}

}  // namespace

std::string usual_name(std::size_t speaker) { return "speaker " + std::to_string(speaker + 1); }

TurnList::TurnList(std::vector<audio::SpeakerTurn> turns) : turns_(std::move(turns)) {
  for (const audio::SpeakerTurn& turn : turns_) {
    times_.add(turn.begin_s, turn.end_s);
    n_speakers_ = std::max(n_speakers_, static_cast<std::size_t>(turn.speaker) + 1);
  }
}

std::vector<double> TurnList::seconds(double begin, double end) const {
  std::vector<double> all(n_speakers_);
  const auto [first, last] = times_.around(begin, end);
  for (std::size_t i = first; i < last; ++i)
    all[static_cast<std::size_t>(turns_[i].speaker)] += overlap(begin, end, turns_[i]);
  return all;
}

SpeakerId TurnList::nearest(double begin, double end) const {
  SpeakerId found;
  double least = kNear;
  const auto [first, last] = times_.around(begin - kNear, end + kNear);
  for (std::size_t i = first; i < last; ++i) {
    const double away = std::max({0.0, turns_[i].begin_s - end, begin - turns_[i].end_s});
    if (away >= least) continue;
    least = away;
    found = static_cast<std::size_t>(turns_[i].speaker);
  }
  return found;
}

Share TurnList::share(std::size_t speaker, double begin, double end) const {
  const std::vector<double> all = seconds(begin, end);
  double others = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    others = i == speaker ? others : std::max(others, all[i]);
  const double own = std::min(all[speaker], end - begin);
  return {.seconds = end - begin, .alone = std::max(0.0, own - others)};
}

std::vector<SpeakerId> speakers_of(std::span<const decoder::Word> words, const TurnList& turns) {
  std::vector<SpeakerId> speakers;
  SpeakerId before;
  for (const decoder::Word& word : words) {
    const SpeakerId found = speaker_of(word, before, turns);
    before = found ? found : before;
    speakers.push_back(before);
  }
  const auto known = std::ranges::find_if(speakers, &SpeakerId::has_value);
  if (known == speakers.end()) return speakers;
  std::fill(speakers.begin(), known, *known);
  smooth_flips(words, turns, speakers);
  move_to_sentences(words, speakers);
  return speakers;
}

}  // namespace wnpu::app
