// Silence in live speech, and recognisers that no longer hear anything.
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/stream/live_transcript.h"

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT

namespace {

// One second of speech, so much of silence, and so on, in samples that are all alike.
double burst(std::size_t n_blocks, double silence_s) {
  const double at_s = static_cast<double>(n_blocks * LiveTranscript::kBlock) / 16000;
  return std::fmod(at_s, 1 + silence_s) < 1 ? 0.9 : 0.0;
}

std::string final_lines(const std::vector<StreamEvent>& events) {
  std::string lines;
  for (const StreamEvent& event : events) {
    if (event.type != StreamEvent::Type::final) continue;
    lines += event.text() + (event.ends_line ? "|" : "");
  }
  return lines;
}

}  // namespace

TEST_CASE("live transcript: a hypothesis without words takes back what was told before it") {
  std::size_t n_calls = 0;
  std::vector<StreamEvent> events;
  LiveTranscript transcript(
      {}, [](auto) { return 0.9; },
      [&](const HeardAudio& heard) {
        std::vector<Word> words;
        if (++n_calls == 2) words.push_back({" maybe", heard.heard_s - 0.2, heard.heard_s, 1});
        return Hypothesis{std::move(words), "en"};
      },
      [&](const StreamEvent& event) { events.push_back(event); });
  transcript.push(std::vector<std::int16_t>(std::size_t{16000} * 5));
  CHECK(n_calls >= 4);
  REQUIRE(events.size() == 2);
  for (const StreamEvent& event : events) CHECK(event.type == StreamEvent::Type::partial);
  CHECK(events[0].text() == " maybe");
  CHECK(events[1].words.empty());
}

TEST_CASE("live transcript: what is speech is no silence, whatever the threshold of silence") {
  struct Case {
    double threshold;
    std::optional<double> neg_threshold;
    double between;  // probability of the blocks behind the speech
    bool is_pause;
  };
  static const std::array kCases{
      Case{0.3, {}, 0.2, false},   Case{0.3, {}, 0.1, true},     Case{0.1, {}, 0.02, false},
      Case{0.1, {}, 0.005, true},  Case{0.3, 0.35, 0.32, false}, Case{0.3, 0.9, 0.32, false},
      Case{0.3, 0.35, 0.25, true}, Case{0.9, {}, 0.8, false},    Case{0.9, {}, 0.7, true}};
  for (const Case& each : kCases) {
    CAPTURE(each.threshold);
    CAPTURE(each.between);
    LiveOptions options;
    options.threshold = each.threshold;
    options.neg_threshold = each.neg_threshold;
    std::size_t n_blocks = 0;
    std::size_t n_pauses = 0;
    LiveTranscript transcript(
        options, [&](auto) { return ++n_blocks <= 30 ? 0.95 : each.between; },
        [&](const HeardAudio& heard) {
          n_pauses += heard.is_last_try ? 1 : 0;
          return Hypothesis();
        },
        [](const StreamEvent&) {});
    transcript.push(std::vector<std::int16_t>(4 * 16000));
    CHECK(n_pauses == (each.is_pause ? 1 : 0));
  }
}

TEST_CASE("live transcript: a full stop at a pause is left open, and begins no line") {
  std::vector<StreamEvent> events;
  std::vector<std::string> begun;
  std::size_t n_blocks = 0;
  LiveTranscript transcript(
      {.pause_s = 0.5}, [&](auto) { return burst(n_blocks++, 0.7); },
      [&](const HeardAudio& heard) {
        Hypothesis hypothesis{{}, "en"};
        if (!heard.is_last_try) return hypothesis;
        const double at = heard.heard_s - 1;
        begun.push_back(heard.begun);
        if (begun.size() > 1) hypothesis.words.push_back({".", 0, 0, 1});
        hypothesis.words.push_back({begun.size() > 1 ? "! what?" : " Ask not!", at, at + 0.9, 1});
        return hypothesis;
      },
      [&](const StreamEvent& event) { events.push_back(event); });
  transcript.push(std::vector<std::int16_t>(std::size_t{16000} * 34 / 10));
  CHECK(begun == std::vector<std::string>{"", " Ask not"});
  CHECK(final_lines(events) == " Ask not!| what?|");
}

TEST_CASE("live transcript: a mark that closes what is final goes on with the line, once") {
  std::vector<StreamEvent> events;
  std::size_t n_calls = 0;
  LiveTranscript transcript(
      {.chunk_s = 1, .lookahead_s = 0.5}, [](auto) { return 0.9; },
      [&](const HeardAudio& heard) {
        Hypothesis hypothesis{{}, "en"};
        const bool is_first = ++n_calls < 3;
        if (is_first) hypothesis.words.push_back({" so", 0.1, 0.4, 1});
        if (n_calls > 2 && n_calls < 5) hypothesis.words.push_back({",", 0.4, 0.4, 1});
        if (!is_first) hypothesis.words.push_back({" on", 0.5, 0.6, 1});
        CHECK(heard.language == (is_first ? "" : "en"));
        return hypothesis;
      },
      [&](const StreamEvent& event) { events.push_back(event); });
  transcript.push(std::vector<std::int16_t>(std::size_t{16000} * 42 / 10));
  CHECK(final_lines(events) == " so, on");
}

TEST_CASE("live transcript: text of another language is no prompt, and each event has its own") {
  std::vector<StreamEvent> events;
  std::vector<std::string> asked;
  std::size_t n_blocks = 0;
  LiveTranscript transcript(
      {}, [&](auto) { return burst(n_blocks++, 2.5); },
      [&](const HeardAudio& heard) {
        const bool is_first = heard.heard_s < 3;
        asked.push_back(heard.before + "/" + heard.begun + "/" + heard.language);
        const double end = static_cast<double>(heard.samples.size()) / 16000 - 0.6;
        return Hypothesis{{{is_first ? " Hello." : " Hallo.", 0, end, 1}}, is_first ? "en" : "de"};
      },
      [&](const StreamEvent& event) { events.push_back(event); });
  transcript.push(std::vector<std::int16_t>(std::size_t{16000} * 21 / 2));
  CHECK(final_lines(events) == " Hello.| Hallo.| Hallo.|");
  for (const StreamEvent& event : events)
    CHECK(event.language == (event.text() == " Hello." ? "en" : "de"));
  CHECK(asked.front() == "//");
  CHECK(asked.back() == " Hallo.//de");
}
