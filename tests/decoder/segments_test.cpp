// transcribe.py's rules for cutting a window into segments and for where the next one starts.
#include "decoder/text/segments.h"

#include <doctest/doctest.h>

#include "decoder/text/fallback.h"
#include "decoder/text/rest.h"
#include "tests/support/test_vocabulary.h"

using namespace wnpu::decoder;  // NOLINT
using wnpu::models::TokenId;

namespace {

const wnpu::models::Vocabulary& vocabulary() {
  static const auto v = wnpu::tests::test_vocabulary(false);
  return v;
}

// Timestamp token of `seconds` in the window.
TokenId at(double seconds) {
  return vocabulary().timestamp_begin() + static_cast<TokenId>(seconds * 50 + 0.5);
}

Decoded decoded(std::vector<TokenId> tokens) {
  Decoded d;
  d.tokens = std::move(tokens);
  d.temperature = 0.2;
  return d;
}

}  // namespace

TEST_CASE("segments: pairs of timestamps cut, and the next window starts at the last pair") {
  const auto split =
      split_at_timestamps(decoded({at(0), 'a', at(2), at(2.5), 'b', at(7.74), at(7.74), 'c'}),
                          {1000, 3000}, vocabulary());
  REQUIRE(split.segments.size() == 2);
  CHECK(split.segments[0].start == doctest::Approx(10.0));
  CHECK(split.segments[0].end == doctest::Approx(12.0));
  CHECK(split.segments[0].text == "a");
  CHECK(split.segments[1].start == doctest::Approx(12.5));
  CHECK(split.segments[1].end == doctest::Approx(17.74));
  CHECK(split.segments[1].tokens == std::vector<TokenId>{at(2.5), 'b', at(7.74)});
  CHECK(split.segments[1].temperature == 0.2);
  CHECK(split.next_seek == 1000 + 774);  // "c" is decoded again, from 7.74 s on
}

TEST_CASE("segments: a single timestamp at the end means silence until the window's end") {
  const auto split =
      split_at_timestamps(decoded({at(0), 'a', at(2), at(2), 'b', at(5)}), {0, 3000}, vocabulary());
  REQUIRE(split.segments.size() == 2);
  CHECK(split.segments[1].end == doctest::Approx(5.0));
  CHECK(split.next_seek == 3000);
}

TEST_CASE("segments: without pairs the window is one segment, up to its last timestamp") {
  const auto timed = split_at_timestamps(decoded({at(0.5), 'a', at(3)}), {0, 1100}, vocabulary());
  REQUIRE(timed.segments.size() == 1);
  CHECK(timed.segments[0].start == 0.0);  // transcribe.py: the window's start, not 0.5
  CHECK(timed.segments[0].end == doctest::Approx(3.0));
  CHECK(timed.next_seek == 1100);
  const auto untimed = split_at_timestamps(decoded({'a', 'b'}), {200, 1100}, vocabulary());
  CHECK(untimed.segments[0].start == doctest::Approx(2.0));
  CHECK(untimed.segments[0].end == doctest::Approx(13.0));
}

TEST_CASE("segments: text before the first timestamp begins with the window") {
  const auto split = split_at_timestamps(decoded({'a', at(2), at(2), 'b', at(5), at(5)}),
                                         {1000, 3000}, vocabulary());
  REQUIRE(split.segments.size() == 2);
  CHECK(split.segments[0].start == doctest::Approx(10.0));
  CHECK(split.segments[0].end == doctest::Approx(12.0));
}

TEST_CASE("segments: one without duration or text is emptied") {
  Segment instant{.start = 1, .end = 1, .text = "a", .tokens = {1}, .words = {}};
  clear_if_empty(instant);
  CHECK(instant.text.empty());
  CHECK(instant.tokens.empty());
  Segment blank{.start = 1, .end = 2, .text = "  ", .tokens = {1}, .words = {}};
  clear_if_empty(blank);
  CHECK(blank.tokens.empty());
  // Python's whitespace, which openai-whisper strips: an ideographic space, a separator.
  for (const char* space : {"\u3000", " \x1c\u2003 ", "\u00a0"}) {
    Segment wide{.start = 1, .end = 2, .text = space, .tokens = {1}, .words = {}};
    clear_if_empty(wide);
    CHECK(wide.text.empty());
    CHECK(wide.tokens.empty());
  }
  Segment good{.start = 1, .end = 2, .text = " a", .tokens = {1}, .words = {}};
  clear_if_empty(good);
  CHECK(good.text == " a");
}

TEST_CASE("fallback: repetition and doubt ask for another try, silence does not") {
  Decoded good;
  good.avg_logprob = -0.5;
  good.compression_ratio = 1.5;
  CHECK_FALSE(needs_fallback(good, {}));
  Decoded repeats = good;
  repeats.compression_ratio = 2.5;
  CHECK(needs_fallback(repeats, {}));
  CHECK_FALSE(needs_fallback(repeats, {std::nullopt, -1.0, 0.6}));
  Decoded unsure = good;
  unsure.avg_logprob = -1.1;
  CHECK(needs_fallback(unsure, {}));
  Decoded silent = unsure;
  silent.no_speech_prob = 0.7;
  silent.compression_ratio = 3.0;
  CHECK_FALSE(needs_fallback(silent, {}));
}

TEST_CASE("fallback: where every try fails, the likeliest that does not repeat itself is kept") {
  std::vector<Decoded> tries(4);
  tries[0].avg_logprob = -0.2;
  tries[0].compression_ratio = 5.0;
  tries[1].avg_logprob = -1.3;
  tries[2].avg_logprob = -1.1;
  tries[3].avg_logprob = -2.0;
  CHECK(best_try(tries, {}) == 2);
  CHECK(best_try(tries, {std::nullopt, -1.0, 0.6}) == 0);
  for (Decoded& decoded : tries) decoded.compression_ratio = 3.0;
  CHECK(best_try(tries, {}) == 0);
}

TEST_CASE("short rest: is decoded again together with the segment before it") {
  const Window window{1000, 2500};
  SplitWindow split;
  split.segments.resize(3);
  split.segments[2].start = 28.0;
  split.next_seek = 3200;  // of 3500
  join_short_rest(split, window, kShortestRestFrames);
  CHECK(split.segments.size() == 2);
  CHECK(split.next_seek == 2800);

  const auto stays = [&](std::size_t next_seek, double last_start,
                         std::size_t shortest = kShortestRestFrames) {
    SplitWindow other;
    other.segments.resize(2);
    other.segments[1].start = last_start;
    other.next_seek = next_seek;
    join_short_rest(other, window, shortest);
    return other.segments.size() == 2 && other.next_seek == next_seek;
  };
  CHECK(stays(3500, 28.0));        // no rest
  CHECK(stays(3460, 28.0));        // padding
  CHECK_FALSE(stays(3450, 28.0));  // a word perhaps
  CHECK(stays(3450, 28.0, kShortestForcedRestFrames));
  CHECK_FALSE(stays(3400, 28.0, kShortestForcedRestFrames));
  CHECK(stays(2900, 28.0));        // enough to be understood alone
  CHECK(stays(3200, 10.0));        // the same window again would never end
  CHECK_FALSE(stays(3200, 10.1));  // but a later one will
}

TEST_CASE("silence: a high no-speech probability, unless the text is sure") {
  Decoded d;
  d.no_speech_prob = 0.7;
  d.avg_logprob = -0.9;
  CHECK_FALSE(is_silence(d, {}));
  d.avg_logprob = -1.1;
  CHECK(is_silence(d, {}));
  d.no_speech_prob = 0.6;
  CHECK_FALSE(is_silence(d, {}));
  d.no_speech_prob = 0.7;
  d.avg_logprob = -0.9;
  CHECK(is_silence(d, {2.4, std::nullopt, 0.6}));
  CHECK_FALSE(is_silence(d, {2.4, -1.0, std::nullopt}));
}
