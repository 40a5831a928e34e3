#include "app/engine/windows/word_placement.h"

#include <algorithm>
#include <iterator>

#include "app/engine/windows/clips.h"
#include "decoder/text/hallucination.h"
#include "decoder/text/word_timestamps.h"

namespace wnpu::app {
namespace {

constexpr double kWindowSeconds = 30;

std::vector<std::vector<models::TokenId>> texts_of(std::span<const decoder::Segment> segments,
                                                   models::TokenId eot) {
  std::vector<std::vector<models::TokenId>> texts;
  for (const decoder::Segment& segment : segments) {
    std::ranges::copy_if(segment.tokens, std::back_inserter(texts.emplace_back()),
                         [eot](models::TokenId id) { return id < eot; });
  }
  return texts;
}

// Puts as much of a prefix as fits before the first text, for words to be timed beside all that is
// heard; how many tokens. (timing.py leaves it out: the first word then gets the prefix's time.)
std::size_t put_prefix(std::span<const models::TokenId> prefix, std::size_t longest,
                       std::vector<std::vector<models::TokenId>>& texts) {
  std::size_t n_tokens = 0;
  for (const auto& text : texts) n_tokens += text.size();
  if (n_tokens == 0) return 0;
  const std::size_t n = std::min(prefix.size(), longest - std::min(longest, n_tokens));
  texts.front().insert(texts.front().begin(), prefix.end() - static_cast<std::ptrdiff_t>(n),
                       prefix.end());
  return n;
}

// Leaves of the words what is behind their first n_tokens.
void drop_prefix(std::size_t n_tokens, const models::Vocabulary& vocabulary,
                 std::vector<decoder::WordTiming>& words) {
  auto first = words.begin();
  for (; first != words.end() && first->tokens.size() <= n_tokens; ++first)
    n_tokens -= first->tokens.size();
  if (n_tokens > 0 && first != words.end()) {  // "can" of "can't"
    const auto end = first->tokens.begin() + static_cast<std::ptrdiff_t>(n_tokens);
    const std::string said = vocabulary.decode(std::span(first->tokens).first(n_tokens));
    first->word.erase(0, std::min(said.size(), first->word.size()));
    first->tokens.erase(first->tokens.begin(), end);
  }
  words.erase(words.begin(), first);
}

}  // namespace

std::optional<double> end_of(std::span<const decoder::Segment> segments) {
  for (std::size_t i = segments.size(); i-- > 0;) {
    if (!segments[i].words.empty()) return segments[i].words.back().end;
  }
  if (segments.empty()) return std::nullopt;
  return segments.back().end;
}

void place_words(Recognizer& recognizer, const TranscribeOptions& options,
                 const DecodedWindow& decoded, decoder::SplitWindow& split, double& last_speech) {
  const decoder::Window& window = decoded.window;
  const double window_start = to_seconds(window.seek);
  const models::Vocabulary& vocabulary = recognizer.vocabulary();
  auto texts = texts_of(split.segments, vocabulary.eot());
  const std::size_t n_sot = decoder::sot_sequence(vocabulary, decoded.job.options).size();
  const std::size_t longest = decoder::longest_alignment(recognizer.dims(), n_sot);
  const std::size_t n_prefix = put_prefix(decoded.job.options.prefix, longest, texts);
  const bool wants_probabilities =
      decoded.wants_probabilities || options.hallucination_silence_threshold.has_value();
  auto words = recognizer.align(decoded.job, texts, window.size, wants_probabilities);
  drop_prefix(n_prefix, vocabulary, words);
  decoder::place_words(std::move(words),
                       {options.prepend_punctuations, options.append_punctuations},
                       {window_start, last_speech}, split.segments);
  const double last_end = end_of(split.segments).value_or(window_start);
  const bool moves = !split.single_timestamp_ending && last_end > window_start;
  if (moves) split.next_seek = to_frame(last_end);
  if (options.hallucination_silence_threshold) {
    const double threshold = *options.hallucination_silence_threshold;
    const decoder::WindowTimes times{window_start, to_seconds(window.size),
                                     window_start + kWindowSeconds,
                                     to_seconds(decoded.content_frames), last_speech};
    if (moves && times.end - last_end <= threshold) split.next_seek = window.seek + window.size;
    const auto verdict = decoder::judge_hallucinations(split.segments, times, threshold);
    if (verdict.drop_from) split.segments.resize(*verdict.drop_from);
    if (verdict.seek) split.next_seek = to_frame(*verdict.seek);
    split.is_skipped = verdict.skips_window;
  }
  decoder::widen_to_words(split.segments);  // behind the verdict, which goes by their own times
  // Times are rounded to frames: without this, a window could be decoded for ever.
  split.next_seek = std::max(split.next_seek, window.seek + 1);
  last_speech = end_of(split.segments).value_or(last_speech);
}

void time_words(Recognizer& recognizer, const TranscribeOptions& options,
                const DecodedWindow& decoded, decoder::SplitWindow& split, double& last_speech) {
  decoder::SplitWindow timed = split;
  place_words(recognizer, options, decoded, timed, last_speech);
  const std::size_t n = std::min(split.segments.size(), timed.segments.size());
  for (std::size_t i = 0; i < n; ++i) split.segments[i].words = std::move(timed.segments[i].words);
}

}  // namespace wnpu::app
