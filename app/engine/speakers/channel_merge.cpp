#include "app/engine/speakers/channel_merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/engine/speakers/segment_cut.h"
#include "app/engine/speakers/time_index.h"

namespace wnpu::app {
namespace {

// Words of two channels are the same speech up to so many seconds apart.
constexpr double kApart = 0.3;
// Seconds around a word over which levels are compared.
constexpr double kAround = 0.5;
// Correlation of levels from which one channel is heard in the other: speech of two people stays
// far below, a copy of 20 dB less in noise of 30 dB less above.
constexpr double kSameSound = 0.7;
// Speech between two words at which a segment is cut, in seconds.
constexpr double kInterjection = 0.5;

TimeIndex times_of(std::span<const decoder::Segment> segments,
                   std::vector<std::pair<double, double>>& spans) {
  for (const decoder::Segment& segment : segments) {
    for (const decoder::Word& word : segment.words) spans.emplace_back(word.start, word.end);
  }
  std::ranges::sort(spans);
  TimeIndex index;
  for (const auto& [begin, end] : spans) index.add(begin, end);
  return index;
}

// Words of a channel, by time.
struct WordTimes {
  explicit WordTimes(std::span<const decoder::Segment> segments)
      : index(times_of(segments, spans)) {}

  bool has_near(const decoder::Word& word) const {
    const auto [first, last] = index.around(word.start - kApart, word.end + kApart);
    for (std::size_t i = first; i < last; ++i) {
      if (spans[i].second > word.start - kApart) return true;
    }
    return false;
  }
  // Seconds of words that lie within begin .. end.
  double within(double begin, double end) const {
    double sum = 0;
    const auto [first, last] = index.around(begin, end);
    for (std::size_t i = first; i < last; ++i) {
      const auto& [from, to] = spans[i];
      if (from >= begin && to <= end) sum += to - from;
    }
    return sum;
  }

  std::vector<std::pair<double, double>> spans;
  TimeIndex index;
};

bool is_crosstalk(const decoder::Word& word, const ChannelLevels& own, const ChannelLevels& other) {
  return other.mean(word.start, word.end) > own.mean(word.start, word.end) &&
         ChannelLevels::correlation(own, other, word.start - kAround, word.end + kAround) >
             kSameSound;
}

// The segment without some of its words; empty: none is left.
std::vector<decoder::Segment> kept_of(decoder::Segment segment, const std::vector<bool>& is_dropped,
                                      models::TokenId eot) {
  const auto n_dropped = std::ranges::count(is_dropped, true);
  if (n_dropped == 0) return {std::move(segment)};
  if (n_dropped == static_cast<std::ptrdiff_t>(is_dropped.size())) return {};
  if (!is_of_words(segment)) return {std::move(segment)};
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < is_dropped.size(); ++i) {
    if (is_dropped[i] != is_dropped[i - 1]) cuts.push_back(i);
  }
  std::vector<decoder::Segment> kept;
  bool is_kept = !is_dropped.front();
  for (decoder::Segment& piece : cut_segment(std::move(segment), cuts, eot)) {
    if (std::exchange(is_kept, !is_kept)) kept.push_back(std::move(piece));
  }
  return kept;
}

// All channels, to look at one beside the others.
struct Heard {
  std::span<const ChannelLevels> levels;
  std::vector<WordTimes> words;

  bool is_of_other(const decoder::Word& word, std::size_t channel) const {
    for (std::size_t other = 0; other < words.size(); ++other) {
      if (other == channel || !words[other].has_near(word)) continue;
      if (is_crosstalk(word, levels[channel], levels[other])) return true;
    }
    return false;
  }
  // Whether another channel speaks between two words of one.
  bool is_interrupted(std::size_t channel, const decoder::Word& before,
                      const decoder::Word& after) const {
    const double begin = (before.start + before.end) / 2;
    const double end = (after.start + after.end) / 2;
    for (std::size_t other = 0; other < words.size(); ++other) {
      if (other != channel && words[other].within(begin, end) >= kInterjection) return true;
    }
    return false;
  }
};

std::vector<std::size_t> cuts_of(const decoder::Segment& segment, std::size_t channel,
                                 const Heard& heard) {
  std::vector<std::size_t> cuts;
  const auto& words = segment.words;
  const std::size_t n = is_of_words(segment) ? words.size() : 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (heard.is_interrupted(channel, words[i - 1], words[i])) cuts.push_back(i);
  }
  return cuts;
}

}  // namespace

// A word that was dropped is no reason to drop another.
void drop_crosstalk(std::span<const ChannelLevels> levels, models::TokenId eot,
                    std::span<std::vector<decoder::Segment>> channels) {
  Heard heard{levels, {channels.begin(), channels.end()}};
  for (std::size_t c = 0; c < channels.size(); ++c) {
    std::vector<decoder::Segment> kept;
    for (decoder::Segment& segment : channels[c]) {
      std::vector<bool> is_dropped;
      for (const decoder::Word& word : segment.words)
        is_dropped.push_back(heard.is_of_other(word, c));
      std::ranges::move(kept_of(std::move(segment), is_dropped, eot), std::back_inserter(kept));
    }
    channels[c] = std::move(kept);
    heard.words[c] = WordTimes(channels[c]);
  }
}

std::vector<ChannelSegment> merge_channels(std::span<std::vector<decoder::Segment>> channels,
                                           models::TokenId eot) {
  const Heard heard{{}, {channels.begin(), channels.end()}};
  std::vector<ChannelSegment> merged;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    for (decoder::Segment& segment : channels[c]) {
      const std::vector<std::size_t> cuts = cuts_of(segment, c, heard);
      for (decoder::Segment& piece : cut_segment(std::move(segment), cuts, eot))
        merged.push_back({c, std::move(piece)});
    }
  }
  std::ranges::stable_sort(merged, {},
                           [](const ChannelSegment& each) { return each.segment.start; });
  return merged;
}

}  // namespace wnpu::app
