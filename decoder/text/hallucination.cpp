#include "decoder/text/hallucination.h"

#include <algorithm>
#include <string_view>

namespace wnpu::decoder {
namespace {

constexpr std::size_t kJudgedWords = 8;
constexpr std::string_view kPunctuation = "\"'“¿([{-\"'.。,，!！?？:：”)]}、";

// transcribe.py word_anomaly_score.
double anomaly(const Word& word) {
  const double duration = word.end - word.start;
  double score = 0;
  if (word.probability < 0.15) score += 1;
  if (duration < 0.133) score += (0.133 - duration) * 15;
  if (duration > 2.0) score += duration - 2.0;
  return score;
}

const Segment* next_with_words(std::span<const Segment> segments) {
  const auto found =
      std::ranges::find_if(segments, [](const Segment& s) { return !s.words.empty(); });
  return found == segments.end() ? nullptr : &*found;
}

}  // namespace

bool is_anomalous(const Segment& segment) {
  double score = 0;
  std::size_t n = 0;
  for (const Word& word : segment.words) {
    if (kPunctuation.find(word.text) != std::string_view::npos) continue;
    if (n == kJudgedWords) break;
    score += anomaly(word);
    ++n;
  }
  return !segment.words.empty() && (score >= 3 || score + 0.01 >= static_cast<double>(n));
}

namespace {

// A segment with words among its neighbours.
struct Placed {
  double last_end;  // of the words before it
  const Segment& segment;
  const Segment* next;  // with words, after it; none: the window's end
};

// Whether silence, the window's border or another improbable segment lies on both sides.
bool is_in_silence(const Placed& placed, const WindowTimes& window, double threshold) {
  const Segment& segment = placed.segment;
  const double next_start =
      placed.next != nullptr ? placed.next->words.front().start : window.start + window.duration;
  const bool silence_before = segment.start - placed.last_end > threshold ||
                              segment.start < threshold || segment.start - window.start < 2.0;
  const bool silence_after = next_start - segment.end > threshold ||
                             (placed.next != nullptr && is_anomalous(*placed.next)) ||
                             window.end - segment.end < 2.0;
  return silence_before && silence_after;
}

}  // namespace

HallucinationVerdict judge_hallucinations(std::span<const Segment> segments,
                                          const WindowTimes& window, double threshold) {
  const Segment* first = next_with_words(segments);
  if (first != nullptr && is_anomalous(*first)) {
    const double gap = first->start - window.start;
    if (gap > threshold) return {0, window.start + gap, true};
  }
  double last_end = window.last_speech_timestamp;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (segment.words.empty()) continue;
    const Segment* next = next_with_words(segments.subspan(i + 1));
    if (is_anomalous(segment) && is_in_silence({last_end, segment, next}, window, threshold)) {
      const bool at_end = window.content - segment.end < threshold;
      return {i, at_end ? window.content : std::max(window.start + 1, segment.start), false};
    }
    last_end = segment.end;
  }
  return {};
}

}  // namespace wnpu::decoder
