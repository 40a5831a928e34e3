#include "decoder/text/word_timestamps.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/base/utf8.h"

namespace wnpu::decoder {
namespace {

constexpr double kLongestMedian = 0.7;  // seconds; timing.py add_word_timestamps

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void give(WordTiming& from, WordTiming& to, bool before) {
  to.word = before ? from.word + to.word : to.word + from.word;
  to.tokens.insert(before ? to.tokens.begin() : to.tokens.end(), from.tokens.begin(),
                   from.tokens.end());
  from.word.clear();
  from.tokens.clear();
}

double rounded(double seconds) { return std::round(seconds * 100) / 100; }

// Median of the durations that are not zero, at most 0.7 s; 0 where there is none.
double median_duration(std::span<const WordTiming> words) {
  std::vector<double> durations;
  for (const WordTiming& word : words) {
    if (word.end != word.start) durations.push_back(word.end - word.start);
  }
  if (durations.empty()) return 0;
  std::ranges::sort(durations);
  const std::size_t n = durations.size();
  return std::min(kLongestMedian, (durations[(n - 1) / 2] + durations[n / 2]) / 2);
}

// Words next to the end of a sentence often swallow the pause: cut them to `longest`.
void shorten_at_sentence_ends(std::span<WordTiming> words, double longest) {
  constexpr std::string_view kMarks = ".。!！?？";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].end - words[i].start <= longest) continue;
    if (contains(kMarks, words[i].word)) {
      words[i].end = words[i].start + longest;
    } else if (contains(kMarks, words[i - 1].word)) {
      words[i].start = words[i].end - longest;
    }
  }
}

// The first words after a pause are not longer than twice the median.
void shorten_after_pause(std::vector<Word>& words, double median, double last_speech) {
  const double longest = 2 * median;
  const bool two = words.size() > 1;
  const bool pause = words[0].end - last_speech > 4 * median;
  const bool overlong = words[0].end - words[0].start > longest ||
                        (two && words[1].end - words[0].start > 2 * longest);
  if (!pause || !overlong) return;
  if (two && words[1].end - words[1].start > longest) {
    const double border = std::max(words[1].end / 2, words[1].end - longest);
    words[0].end = border;
    words[1].start = border;
  }
  words[0].start = std::max(0.0, words[0].end - longest);
}

// Segment and words agree on their ends; an overlong word yields to the segment's own timestamp. It
// never gets longer: openai/whisper lets it grow over its neighbour to the median.
void align_borders(Segment& segment, double median) {
  Word& first = segment.words.front();
  Word& last = segment.words.back();
  if (segment.start < first.end && segment.start - 0.5 > first.start) {
    first.start = std::max(first.start, std::min(first.end - median, segment.start));
  } else {
    segment.start = first.start;
  }
  if (segment.end > last.start && segment.end + 0.5 < last.end) {
    last.end = std::min(last.end, std::max(last.start + median, segment.end));
  } else {
    segment.end = last.end;
  }
}

}  // namespace

void merge_punctuation(std::vector<WordTiming>& words, const Punctuation& marks) {
  if (words.size() < 2) return;
  std::size_t following = words.size() - 1;
  for (std::size_t i = words.size() - 1; i-- > 0;) {
    WordTiming& word = words[i];
    if (word.segment == words[following].segment && word.word.starts_with(' ') &&
        contains(marks.prepend, models::strip(word.word))) {
      give(word, words[following], true);
    } else {
      following = i;
    }
  }
  std::size_t previous = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].segment == words[previous].segment && !words[previous].word.ends_with(' ') &&
        contains(marks.append, words[i].word)) {
      give(words[i], words[previous], false);
    } else {
      previous = i;
    }
  }
}

void place_words(std::vector<WordTiming> words, const Punctuation& marks,
                 const WordPlacement& placement, std::span<Segment> segments) {
  const double median = median_duration(words);
  if (median > 0) shorten_at_sentence_ends(words, 2 * median);
  merge_punctuation(words, marks);
  double last_speech = placement.last_speech_timestamp;
  auto word = words.cbegin();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Segment& segment = segments[i];
    segment.words.clear();
    for (; word != words.cend() && word->segment == i; ++word) {
      if (word->word.empty()) continue;
      segment.words.push_back({word->word, rounded(placement.window_start + word->start),
                               rounded(placement.window_start + word->end), word->probability,
                               word->tokens.size()});
    }
    if (segment.words.empty()) continue;
    shorten_after_pause(segment.words, median, last_speech);
    align_borders(segment, median);
    last_speech = segment.end;
  }
}

void widen_to_words(std::span<Segment> segments) {
  for (Segment& segment : segments) {
    if (segment.words.empty()) continue;
    segment.start = std::min(segment.start, segment.words.front().start);
    segment.end = std::max(segment.end, segment.words.back().end);
  }
}

}  // namespace wnpu::decoder
