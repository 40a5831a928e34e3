#include "app/engine/windows/speaker_labels.h"

#include <algorithm>
#include <utility>

#include "app/engine/speakers/channel_merge.h"
#include "app/engine/speakers/segment_cut.h"
#include "app/engine/windows/public_segment.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kStereo = 2;

std::string channel_name(std::size_t channel, std::size_t n) {
  if (n == kStereo) return channel == 0 ? "left" : "right";
  return "channel " + std::to_string(channel + 1);
}

}  // namespace

SpeakerLabels::SpeakerLabels(const TranscribeOptions& options, const RecordingAudio& heard,
                             models::TokenId eot)
    : is_asked_for_(options.speakers.enabled || options.channels == Channels::separate),
      keeps_words_(options.word_timestamps),
      is_of_channels_(options.channels == Channels::separate),
      heard_(heard),
      eot_(eot),
      turns_(heard.turns()) {
  if (!is_asked_for_) return;
  const std::size_t n = is_of_channels_ ? heard.n_channels() : turns_.n_speakers();
  if (is_of_channels_) channels_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    tallies_.push_back({is_of_channels_ ? channel_name(i, n) : usual_name(i), {}});
  const auto names = tallies_;
  for (const auto& [key, name] : options.speakers.names) {
    bool is_known = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (key != std::to_string(i + 1) && key != names[i].name) continue;
      tallies_[i].name = name;
      is_known = true;
    }
    if (!is_known) unknown_.push_back(key);
  }
}

std::vector<Segment> SpeakerLabels::take(decoder::Segment segment, std::size_t channel) {
  if (is_of_channels_) {
    channels_[channel].push_back(std::move(segment));
    return {};
  }
  if (is_asked_for_) return by_turns(std::move(segment));
  std::vector<Segment> as_it_is;
  as_it_is.push_back(public_segment(std::move(segment)));
  return as_it_is;
}

std::vector<Segment> SpeakerLabels::by_turns(decoder::Segment segment) {
  std::vector<Segment> pieces;
  if (!is_of_words(segment)) {
    const decoder::Word whole{.text = segment.text, .start = segment.start, .end = segment.end};
    const SpeakerId speaker = speakers_of({&whole, 1}, turns_).front();
    pieces.push_back(labelled(std::move(segment), segment.text.empty() ? SpeakerId() : speaker));
    return pieces;
  }
  const std::vector<SpeakerId> speakers = speakers_of(segment.words, turns_);
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < speakers.size(); ++i) {
    if (speakers[i] != speakers[i - 1]) cuts.push_back(i);
  }
  std::size_t word = 0;
  for (decoder::Segment& piece : cut_segment(std::move(segment), cuts, eot_)) {
    const SpeakerId speaker = speakers[word];
    word += piece.words.size();
    pieces.push_back(labelled(std::move(piece), speaker));
  }
  return pieces;
}

std::vector<Segment> SpeakerLabels::rest() {
  std::vector<Segment> all;
  drop_crosstalk(heard_.levels(), eot_, channels_);
  for (ChannelSegment& each : merge_channels(channels_, eot_))
    all.push_back(labelled(std::move(each.segment), each.channel));
  channels_.clear();
  return all;
}

Share SpeakerLabels::share_of(std::size_t speaker, double begin, double end) const {
  if (!is_of_channels_) return turns_.share(speaker, begin, end);
  const auto level = [&](const ChannelLevels& each) { return each.mean(begin, end); };
  const auto& levels = heard_.levels();
  const auto loudest = std::ranges::max_element(levels, {}, level);
  const bool is_loudest = level(levels[speaker]) == level(*loudest);
  return {.seconds = end - begin, .alone = is_loudest ? end - begin : 0};
}

Segment SpeakerLabels::labelled(decoder::Segment segment, SpeakerId speaker) {
  Segment made = public_segment(std::move(segment));
  if (speaker) {
    Tally& tally = tallies_[*speaker];
    made.speaker = tally.name;
    const auto count = [&](double begin, double end) {
      const Share more = share_of(*speaker, begin, std::max(begin, end));
      tally.share.seconds += more.seconds;
      tally.share.alone += more.alone;
    };
    if (made.words.empty()) count(made.start, made.end);
    for (Word& word : made.words) {
      word.speaker = tally.name;
      count(word.start, word.end);
    }
  }
  if (!keeps_words_) made.words.clear();
  return made;
}

std::optional<std::vector<Speaker>> SpeakerLabels::speakers() const {
  if (!is_asked_for_) return std::nullopt;
  std::vector<Speaker> all;
  for (const auto& [name, share] : tallies_) {
    const double confidence = share.seconds > 0 ? share.alone / share.seconds : 0;
    all.push_back({.name = name, .seconds = share.seconds, .confidence = confidence});
  }
  return all;
}

void SpeakerLabels::warn(std::vector<std::string>& warnings) const {
  for (const std::string& key : unknown_) {
    warnings.push_back("speakers.names: expected one of " + std::to_string(tallies_.size()) +
                       " speakers, found the name of " + key);
  }
}

}  // namespace wnpu::app
