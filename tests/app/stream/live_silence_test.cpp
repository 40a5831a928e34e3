// What live speech takes for silence, and a recogniser that hears nothing any more.
#include <array>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "app/stream/live_transcript.h"

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT

TEST_CASE("live transcript: a hypothesis without words takes back what was told before it") {
  std::size_t n_calls = 0;
  std::vector<StreamEvent> events;
  LiveTranscript transcript(
      {}, [](auto) { return 0.9; },
      [&](const HeardAudio& heard) {
        std::vector<Word> words;
        if (++n_calls == 2) words.push_back({" maybe", heard.heard_s - 0.2, heard.heard_s, 1});
        return words;
      },
      [&](const StreamEvent& event) { events.push_back(event); });
  transcript.push(std::vector<std::int16_t>(3 * 16000));
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
          return std::vector<Word>();
        },
        [](const StreamEvent&) {});
    transcript.push(std::vector<std::int16_t>(4 * 16000));
    CHECK(n_pauses == (each.is_pause ? 1 : 0));
  }
}
