// timing.py and transcribe.py's rules for words, on words written by hand.
#include "decoder/text/word_timestamps.h"

#include <cmath>

#include <doctest/doctest.h>

#include "decoder/search/decoding_task.h"
#include "decoder/text/hallucination.h"
#include "decoder/text/time_warp.h"

using namespace wnpu::decoder;  // NOLINT

namespace {

std::vector<std::string> texts(const std::vector<WordTiming>& words) {
  std::vector<std::string> all;
  for (const WordTiming& word : words) all.push_back(word.word);
  return all;
}

std::vector<WordTiming> words(const std::vector<std::string>& list) {
  std::vector<WordTiming> all;
  double at = 0;
  for (const std::string& text : list) {
    all.push_back({text, {static_cast<int>(all.size())}, 0, at, at + 0.3, 0.9});
    at += 0.3;
  }
  return all;
}

Segment segment(double start, double end, std::vector<wnpu::models::TokenId> tokens) {
  Segment s;
  s.start = start;
  s.end = end;
  s.tokens = std::move(tokens);
  return s;
}

Segment spoken(double start, double end, std::vector<Word> list) {
  Segment s;
  s.start = start;
  s.end = end;
  s.words = std::move(list);
  return s;
}

}  // namespace

TEST_CASE("median filter: takes the middle of seven, mirrored at the ends") {
  std::vector<float> x = {9, 1, 1, 1, 1, 1, 1, 1, 1, 9};
  median_filter(x, 7);
  CHECK(x == std::vector<float>(10, 1.0F));
  // Mirrored: 3 2 1 [0] 1 2 3 around the first value.
  std::vector<float> ramp = {0, 1, 2, 3, 4, 5, 6, 7};
  median_filter(ramp, 7);
  CHECK(ramp == std::vector<float>{2, 2, 2, 3, 4, 5, 5, 5});
  std::vector<float> tiny = {5, 1, 4};
  median_filter(tiny, 7);
  CHECK(tiny == std::vector<float>{5, 1, 4});
}

TEST_CASE("time warp: follows the cheap cells, one row and column at a time") {
  wnpu::models::Matrix cost(3, 5);
  for (float& c : cost.flat()) c = 1.0F;
  for (const auto& [r, c] : {std::pair{0, 0}, {0, 1}, {1, 2}, {2, 3}, {2, 4}}) {
    cost.row(static_cast<std::size_t>(r))[static_cast<std::size_t>(c)] = -1.0F;
  }
  CHECK(first_columns(cost.view()) == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("punctuation: joins the word before or after it, in chains too") {
  auto list = words({" (", "so", ",", " he", " said", ".", "\""});
  merge_punctuation(list, {});
  CHECK(texts(list) == std::vector<std::string>{"", " (so,", "", " he", " said.\"", "", ""});
  CHECK(list[1].tokens == std::vector<wnpu::models::TokenId>{0, 1, 2});
  CHECK(list[4].tokens == std::vector<wnpu::models::TokenId>{4, 5, 6});
}

TEST_CASE("punctuation: stays in its segment") {
  auto list = words({" so", " (", ".", " he"});
  list[2].segment = list[3].segment = 1;
  merge_punctuation(list, {});
  CHECK(texts(list) == std::vector<std::string>{" so", " (", ".", " he"});
}

TEST_CASE("words: go to their segments, which take over their borders") {
  std::vector<Segment> segments = {segment(10, 12, {900, 1, 2, 901}),
                                   segment(12, 14, {901, 3, 902})};
  std::vector<WordTiming> list = {
      {" a", {1}, 0, 0.2, 0.5, 0.5}, {" b", {2}, 0, 0.5, 0.9, 0.6}, {" c", {3}, 1, 2.1, 2.5, 0.7}};
  place_words(list, {}, {10.0, 9.9}, segments);
  REQUIRE(segments[0].words.size() == 2);
  CHECK(segments[0].words[1].text == " b");
  CHECK(segments[0].words[1].start == doctest::Approx(10.5));
  CHECK(segments[0].start == doctest::Approx(10.2));
  CHECK(segments[0].end == doctest::Approx(10.9));
  REQUIRE(segments[1].words.size() == 1);
  CHECK(segments[1].words[0].probability == 0.7);
  CHECK(segments[1].start == doctest::Approx(12.1));
}

TEST_CASE("words: the first one after a pause is at most twice the median long") {
  std::vector<Segment> segments = {segment(0, 6, {1, 2, 3, 4})};
  std::vector<WordTiming> list = {{" a", {1}, 0, 0.0, 4.0, 1},
                                  {" b", {2}, 0, 4.0, 4.3, 1},
                                  {" c", {3}, 0, 4.3, 4.6, 1},
                                  {" d", {4}, 0, 4.6, 4.9, 1}};
  place_words(list, {}, {0.0, 0.0}, segments);
  CHECK(segments[0].words[0].start == doctest::Approx(4.0 - 0.6));
  CHECK(segments[0].words[0].end == doctest::Approx(4.0));
  CHECK(segments[0].start == doctest::Approx(3.4));
}

TEST_CASE("words: an overlong one yields to the segment's timestamp, which then holds it") {
  std::vector<Segment> segments = {segment(12, 13, {1, 2})};
  // The median is 0.7: the first word may not begin after 11.4, nor the last end before 13.2.
  std::vector<WordTiming> list = {{" a", {1}, 0, 0.0, 2.1, 1}, {" b", {2}, 0, 2.5, 6.0, 1}};
  place_words(list, {}, {10.0, 9.9}, segments);
  CHECK(segments[0].start == 12);  // openai/whisper's, by which hallucinations are judged
  CHECK(segments[0].end == 13);
  widen_to_words(segments);
  CHECK(segments[0].words[0].start == doctest::Approx(11.4));
  CHECK(segments[0].words[1].end == doctest::Approx(13.2));
  CHECK(segments[0].start == segments[0].words[0].start);
  CHECK(segments[0].end == segments[0].words[1].end);
}

TEST_CASE("words: no rule makes one longer") {
  std::vector<Segment> segments = {segment(10.51, 11.02, {1, 2})};
  std::vector<WordTiming> list = {
      {" a", {1}, 0, 0.0, 0.6, 1}, {" b", {2}, 0, 1.0, 1.6, 1}, {" c", {3}, 1, 1.6, 3.0, 1}};
  segments.push_back(segment(11.6, 13, {3}));
  place_words(list, {}, {10.0, 9.9}, segments);
  CHECK(segments[0].words[0].start == 10.0);
  CHECK(segments[0].words[1].end == 11.6);
}

TEST_CASE("words: a mark that ends a sentence does not swallow the pause") {
  std::vector<Segment> segments = {segment(0, 9, {1, 2, 3, 4})};
  std::vector<WordTiming> list = {{" a", {1}, 0, 0.0, 0.3, 1},
                                  {" b", {2}, 0, 0.3, 0.6, 1},
                                  {".", {3}, 0, 0.6, 5.0, 1},
                                  {" c", {4}, 0, 5.0, 5.3, 1}};
  place_words(list, {}, {0.0, 0.0}, segments);
  REQUIRE(segments[0].words.size() == 3);
  CHECK(segments[0].words[1].text == " b.");
  CHECK(segments[0].words[1].end == doctest::Approx(0.6));  // the mark's own time is dropped
  CHECK(segments[0].words[2].start == doctest::Approx(5.0));
}

TEST_CASE("hallucinations: improbable, very short or very long words are anomalous") {
  CHECK(is_anomalous(spoken(0, 1, {{" a", 0, 0.05, 0.1}, {" b", 0, 0.05, 0.1}})));
  CHECK(is_anomalous(spoken(0, 9, {{" a", 0, 9, 0.9}})));
  CHECK_FALSE(is_anomalous(spoken(0, 1, {{" a", 0, 0.3, 0.9}, {" b", 0.3, 0.6, 0.8}})));
  CHECK_FALSE(is_anomalous(spoken(0, 1, {})));
}

TEST_CASE("hallucinations: an anomalous segment between silences goes, and so does what follows") {
  const Segment good = spoken(0.5, 2, {{" yes", 0.5, 1, 0.9}, {" no", 1, 2, 0.9}});
  const Segment bad = spoken(10, 11, {{" you", 10, 10.05, 0.05}});
  const WindowTimes window{0, 30, 30, 60, 0};
  const std::vector<Segment> both = {good, bad};
  const auto verdict = judge_hallucinations(both, window, 2.0);
  REQUIRE(verdict.drop_from);
  CHECK(*verdict.drop_from == 1);
  CHECK(*verdict.seek == doctest::Approx(10.0));
  CHECK_FALSE(judge_hallucinations(both, window, 60.0).drop_from);  // no silence that long
  const std::vector<Segment> only_good = {good};
  CHECK_FALSE(judge_hallucinations(only_good, window, 2.0).drop_from);
  // A window that begins with one: skip the silence before it.
  const std::vector<Segment> leading = {bad};
  CHECK(*judge_hallucinations(leading, window, 2.0).seek == doctest::Approx(10.0));
  CHECK(judge_hallucinations(leading, window, 2.0).skips_window);
  CHECK_FALSE(verdict.skips_window);
}

TEST_CASE("compression ratio: that of zlib, as openai/whisper computes it") {
  CHECK(compression_ratio("") == 0.0);
  // Python: len(b"abc " * 30) / len(zlib.compress(b"abc " * 30)) = 120 / 15.
  std::string loop;
  for (int i = 0; i < 30; ++i) loop += "abc ";
  CHECK(compression_ratio(loop) == doctest::Approx(120.0 / 15.0));
}
