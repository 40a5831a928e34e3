#include "app/stream/live_output.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/json_schema.h"

namespace {

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT
using Type = StreamEvent::Type;

StreamEvent event(Type type, std::vector<std::string> texts, bool ends_line = false) {
  StreamEvent made{type, {}, 3, ends_line, "de", {}};
  double at = 1;
  for (std::string& text : texts) {
    made.words.push_back({std::move(text), at, at + 0.25, 0.5});
    at += 0.25;
  }
  return made;
}

std::string shown(const LiveOutputOptions& options, const std::vector<StreamEvent>& events) {
  std::string text;
  LiveOutput output(options, [&](std::string_view some) { text += some; });
  for (const StreamEvent& each : events) output.show(each, 0.125);
  output.end();
  return text;
}

}  // namespace

TEST_CASE("live output: final words make a line a pause, and nothing else is in a pipe") {
  CHECK(shown({}, {event(Type::partial, {" And"}), event(Type::final, {" And", " so"}),
                   event(Type::partial, {" what"}), event(Type::final, {" my."}, true),
                   event(Type::final, {}, true), event(Type::final, {" Ask"})}) ==
        "And so my.\nAsk\n");
}

TEST_CASE("live output: on a terminal what may change stands behind, as far as there is room") {
  const LiveOutputOptions options{
      .is_terminal = true, .shows_tail = true, .columns = [] { return std::size_t{12}; }};
  CHECK(
      shown(options, {event(Type::final, {" And", " so"}), event(Type::partial, {" my", " fellow"}),
                      event(Type::final, {" my."}, true)}) == "And so my f\x1b[5D\x1b[K my.\n");
  CHECK(shown(options, {event(Type::partial, {" a"}), event(Type::partial, {" ab"})}) ==
        "a\x1b[1D\x1b[Kab\x1b[2D\x1b[K");
  const std::vector<StreamEvent> controls = {event(Type::final, {" a\x1b[2J"}, true)};
  CHECK(shown({.is_terminal = true}, controls) == "a?[2J\n");
  CHECK(shown({}, controls) == "a\x1b[2J\n");
}

TEST_CASE("live output: with speakers text is theirs, a line each, when it has settled") {
  StreamEvent anna = event(Type::speaker, {" And", " so"});
  anna.speaker = "Anna";
  const std::vector<StreamEvent> events = {event(Type::final, {" And", " so", " my"}), anna,
                                           event(Type::speaker, {" my"})};
  CHECK(shown({.has_speakers = true, .columns = {}}, events) == "Anna: And so\nmy\n");
  const auto schema = tests::schema_of("app/formats/stream.schema.json");
  const auto json = nlohmann::json::parse(shown({.is_json = true, .columns = {}}, {anna}));
  CHECK(tests::schema_fault(schema, json) == "");
  CHECK(json["speaker"] == "Anna");
  CHECK(json["type"] == "speaker");
}

TEST_CASE("live output: JSON lines are what the schema says") {
  const auto schema = tests::schema_of("app/formats/stream.schema.json");
  const std::string text = shown({.is_json = true, .shows_tail = false, .columns = {}},
                                 {event(Type::partial, {" a", "\xff"}),
                                  event(Type::final, {" a"}, true), event(Type::final, {}, true)});
  std::istringstream lines(text);
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(lines, line);) {
    all.push_back(nlohmann::json::parse(line));
    CHECK(tests::schema_fault(schema, all.back()) == "");
  }
  REQUIRE(all.size() == 2);
  CHECK(tests::schema_fault(schema, {{"type", "final"},
                                     {"text", ""},
                                     {"language", "de"},
                                     {"start", 0},
                                     {"end", 0},
                                     {"words", nlohmann::json::array()},
                                     {"latency", 0},
                                     {"work", 0}}) != "");
  CHECK(all[0]["type"] == "partial");
  CHECK(all[1] ==
        nlohmann::json{
            {"type", "final"},
            {"text", " a"},
            {"language", "de"},
            {"start", 1},
            {"end", 1.25},
            {"words", {{{"word", " a"}, {"start", 1}, {"end", 1.25}, {"probability", 0.5}}}},
            {"latency", 1.75},
            {"work", 0.125}});
  CHECK(tests::enums_of(schema).at("type") == nlohmann::json{"partial", "final", "speaker"});
}

TEST_CASE("live output: JSON tells by a partial without words that words were taken back") {
  const auto schema = tests::schema_of("app/formats/stream.schema.json");
  for (const bool at_pause : {false, true}) {
    CAPTURE(at_pause);
    const StreamEvent gone = event(at_pause ? Type::final : Type::partial, {}, at_pause);
    std::istringstream lines(shown({.is_json = true, .shows_tail = false, .columns = {}},
                                   {gone, event(Type::partial, {" a"}), gone, gone}));
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(lines, line);) {
      all.push_back(nlohmann::json::parse(line));
      CHECK(tests::schema_fault(schema, all.back()) == "");
    }
    REQUIRE(all.size() == 2);
    CHECK(all[0]["text"] == " a");
    CHECK(all[1]["type"] == "partial");
    CHECK(all[1]["words"].empty());
    CHECK(all[1]["language"] == "de");
    CHECK(all[1]["end"] == 3);
    CHECK(all[1]["latency"] == 0);
  }
  const LiveOutputOptions terminal{
      .is_json = false, .shows_tail = true, .columns = [] { return std::size_t{80}; }};
  CHECK(shown(terminal, {event(Type::partial, {" a"}), event(Type::partial, {})}) ==
        "a\x1b[1D\x1b[K");
}
