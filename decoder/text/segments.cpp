#include "decoder/text/segments.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "models/base/utf8.h"

namespace wnpu::decoder {
namespace {

using models::TokenId;
using models::Vocabulary;

constexpr std::size_t kFramesPerTimestamp = 2;  // openai/whisper input_stride: 3000 / 1500
constexpr double kSecondsPerTimestamp = 0.02;

class SegmentMaker {
 public:
  SegmentMaker(const Decoded& decoded, const Window& window, const Vocabulary& vocabulary)
      : decoded_(decoded), window_(window), vocabulary_(vocabulary) {}

  // Times in seconds since the window's start.
  Segment make(std::span<const TokenId> tokens, double start, double end) const {
    const double offset = static_cast<double>(window_.seek) / kFramesPerSecond;
    Segment segment;
    segment.seek = window_.seek;
    segment.start = offset + start;
    segment.end = offset + end;
    segment.tokens.assign(tokens.begin(), tokens.end());
    segment.text = models::repair_utf8(vocabulary_.decode(tokens));
    segment.temperature = decoded_.temperature;
    segment.avg_logprob = decoded_.avg_logprob;
    segment.compression_ratio = decoded_.compression_ratio;
    segment.no_speech_prob = decoded_.no_speech_prob;
    return segment;
  }

  std::size_t position(TokenId timestamp) const {
    return static_cast<std::size_t>(timestamp - vocabulary_.timestamp_begin());
  }
  double seconds(TokenId timestamp) const {
    return static_cast<double>(position(timestamp)) * kSecondsPerTimestamp;
  }

 private:
  const Decoded& decoded_;
  const Window& window_;
  const Vocabulary& vocabulary_;
};

// Ends of the slices that end in a timestamp followed by another.
std::vector<std::size_t> slice_ends(std::span<const TokenId> tokens, const Vocabulary& vocabulary) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (vocabulary.is_timestamp(tokens[i - 1]) && vocabulary.is_timestamp(tokens[i]))
      ends.push_back(i);
  }
  return ends;
}

}  // namespace

SplitWindow split_at_timestamps(const Decoded& decoded, const Window& window,
                                const Vocabulary& vocabulary) {
  const std::span<const TokenId> tokens = decoded.tokens;
  const SegmentMaker maker(decoded, window, vocabulary);
  const std::size_t n = tokens.size();
  const auto is_timestamp = [&](TokenId id) { return vocabulary.is_timestamp(id); };
  const bool single_ending = n >= 2 && !is_timestamp(tokens[n - 2]) && is_timestamp(tokens[n - 1]);
  std::vector<std::size_t> ends = slice_ends(tokens, vocabulary);
  SplitWindow split;
  split.next_seek = window.seek + window.size;
  split.single_timestamp_ending = single_ending;
  if (ends.empty()) {
    const auto last = std::find_if(tokens.rbegin(), tokens.rend(), is_timestamp);
    const bool timed = last != tokens.rend() && *last != vocabulary.timestamp_begin();
    const double duration =
        timed ? maker.seconds(*last) : static_cast<double>(window.size) / kFramesPerSecond;
    split.segments.push_back(maker.make(tokens, 0.0, duration));
    return split;
  }
  if (single_ending) ends.push_back(n);
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    const auto slice = tokens.subspan(first, end - first);
    // Without timestamp rules the first slice may begin with text: at the window's start.
    const double start = is_timestamp(slice.front()) ? maker.seconds(slice.front()) : 0.0;
    split.segments.push_back(maker.make(slice, start, maker.seconds(slice.back())));
    first = end;
  }
  if (!single_ending) {
    split.next_seek = window.seek + maker.position(tokens[first - 1]) * kFramesPerTimestamp;
  }
  return split;
}

void clear_if_empty(Segment& segment) {
  if (segment.start != segment.end && !models::strip(segment.text).empty()) return;
  segment.text.clear();
  segment.tokens.clear();
  segment.words.clear();
}

}  // namespace wnpu::decoder
