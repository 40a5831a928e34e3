#include "app/stream/live_labels.h"

#include <algorithm>
#include <tuple>

namespace wnpu::app {

void LiveLabels::add(const StreamEvent& event) {
  for (const Word& word : event.words) waiting_.push_back({word, event.language});
}

// Each speaker of the turns is the one that was told for most of the same time, the longest first.
std::vector<SpeakerId> LiveLabels::known(const TurnList& turns) const {
  std::vector<std::vector<double>> shared(turns.n_speakers(), std::vector<double>(n_speakers_));
  for (const Told& told : told_) {
    const std::vector<double> seconds = turns.seconds(told.begin, told.end);
    for (std::size_t i = 0; i < seconds.size(); ++i) shared[i][told.speaker] += seconds[i];
  }
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    for (std::size_t j = 0; j < n_speakers_; ++j) {
      if (shared[i][j] > 0) pairs.emplace_back(-shared[i][j], i, j);
    }
  }
  std::ranges::sort(pairs);
  std::vector<SpeakerId> ours(turns.n_speakers());
  std::vector<bool> is_taken(n_speakers_);
  for (const auto& [seconds, theirs, told] : pairs) {
    if (ours[theirs] || is_taken[told]) continue;
    ours[theirs] = told;
    is_taken[told] = true;
  }
  return ours;
}

std::string LiveLabels::name_of(std::size_t speaker) const {
  const std::string number = std::to_string(speaker + 1);
  for (const auto& [key, name] : names_) {
    if (key == number) return name;
  }
  return usual_name(speaker);
}

std::vector<StreamEvent> LiveLabels::take(std::vector<audio::SpeakerTurn> turns, double settled_s) {
  std::vector<decoder::Word> words;
  for (const Waiting& each : waiting_) {
    if (each.word.end > settled_s) break;
    words.push_back({.text = each.word.text, .start = each.word.start, .end = each.word.end});
  }
  if (words.empty()) return {};
  const TurnList list(std::move(turns));
  std::vector<SpeakerId> ours = known(list);
  std::vector<StreamEvent> events;
  SpeakerId before;
  for (const SpeakerId& speaker : speakers_of(words, list)) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (events.empty() || before != speaker) {
      events.emplace_back().type = StreamEvent::Type::speaker;
      events.back().language = next.language;
      if (speaker && !ours[*speaker]) ours[*speaker] = n_speakers_++;
      if (speaker) events.back().speaker = name_of(*ours[*speaker]);
      before = speaker;
    }
    if (speaker) told_.push_back({next.word.start, next.word.end, *ours[*speaker]});
    events.back().words.push_back(next.word);
  }
  return events;
}

}  // namespace wnpu::app
