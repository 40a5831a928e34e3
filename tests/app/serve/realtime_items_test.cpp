#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/serve/realtime/items.h"
#include "tests/app/stream/scripted_speech.h"
#include "tests/few_samples.h"

namespace {

using namespace wnpu;         // NOLINT
using namespace wnpu::serve;  // NOLINT
using Json = nlohmann::json;

// A client with a script; what it is told.
struct Caller {
  explicit Caller(const tests::Script& script) : listener(script) {}

  void listen(const std::optional<RealtimeTurns>& turns) {
    items.listen(
        turns, [this](auto block) { return listener.speech(block); },
        [this](const app::HeardAudio& heard) { return listener.hear(heard); });
  }
  std::vector<Json> of_type(const std::string& end) const {
    std::vector<Json> found;
    std::ranges::copy_if(told, std::back_inserter(found), [&](const Json& event) {
      return event["type"].get<std::string>().ends_with(end);
    });
    return found;
  }
  std::string text() const {
    std::string all;
    for (const Json& event : of_type(".completed"))
      all += " " + event["transcript"].get<std::string>();
    return all;
  }

  tests::ScriptedListener listener;
  std::vector<Json> told;
  RealtimeWriter writer{"sess_1"};
  RealtimeItems items{writer,
                      [this](const std::string& event) { told.push_back(Json::parse(event)); }};
};

// Each item's events, in their order, belong together.
void check_items(const Caller& client, bool has_turns) {
  std::map<std::string, std::string> state;
  std::map<std::string, std::string> text;
  Json previous;
  for (const Json& event : client.told) {
    const std::string type = event["type"];
    const std::string kind = type.substr(type.rfind('.') + 1);
    const std::string item = event["item_id"];
    CAPTURE(event.dump());
    if (kind == "speech_started") {
      CHECK(std::exchange(state[item], "started") == "");
    } else if (kind == "speech_stopped") {
      CHECK(std::exchange(state[item], "stopped") == "started");
    } else if (kind == "committed") {
      const std::string before = std::exchange(state[item], "committed");
      CHECK((before == "stopped" || (before.empty() && !has_turns)));
      CHECK(event["previous_item_id"] == previous);
      previous = item;
    } else if (kind == "delta") {
      CHECK(state[item] != "completed");
      text[item] += event["delta"].get<std::string>();
    } else {
      REQUIRE(kind == "completed");
      CHECK(std::exchange(state[item], "completed") == "committed");
      CHECK(event["transcript"] == text[item]);
    }
  }
  for (const auto& [item, last] : state) CHECK(last == "completed");
}

// Joined words have one space between them.
std::string squeezed(std::string text) {
  text.erase(
      std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      text.end());
  return text.ends_with(' ') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

TEST_CASE("realtime items: turns and commits give all words, once, each in an item that ends") {
  std::mt19937 rng(17);
  for (int i = 0; i < 24 / static_cast<int>(tests::kSampleShare); ++i) {
    const bool has_turns = i % 2 == 0;
    CAPTURE(i);
    const tests::Script script = tests::random_script(rng, 60, {.pause_share = 0.2});
    Caller client(script);
    client.listen(has_turns ? std::optional(RealtimeTurns{}) : std::nullopt);
    const auto samples = tests::samples_of(script);
    const std::size_t step = 1 + rng() % 9000;
    for (std::size_t at = 0; at < samples.size(); at += step) {
      client.items.push(std::span(samples).subspan(at, std::min(step, samples.size() - at)), false);
      if (rng() % 16 == 0) client.items.stall();
    }
    client.items.stop();
    if (!has_turns) CHECK(client.of_type(".committed").size() <= 1);
    check_items(client, has_turns);
    CHECK(squeezed(client.text()) == squeezed(script.text()));
  }
}

TEST_CASE("realtime items: a commit ends an item with or without speech") {
  tests::Script script{.words = {{" one", 0.2, 0.6, 1}, {" two.", 0.7, 1.0, 1}}, .length_s = 8};
  const auto samples = tests::samples_of(script);
  Caller client(script);
  client.listen(std::nullopt);
  CHECK_THROWS_WITH_AS(client.items.commit(),
                       "input_audio_buffer: expected 100 ms of audio or more behind the last item, "
                       "found 0 ms",
                       ApiError);
  client.items.push(std::span(samples).first(2 * 16000), false);
  client.items.commit();
  client.items.push(std::span(samples).subspan(2 * 16000, 1500), false);
  CHECK_THROWS_AS(client.items.commit(), ApiError);
  client.items.push(std::span(samples).subspan(2 * 16000 + 1500, 16000), false);
  client.items.commit();
  check_items(client, false);
  const auto done = client.of_type(".completed");
  REQUIRE(done.size() == 2);
  CHECK(done[0]["transcript"] == "one two.");
  CHECK(done[0]["usage"]["seconds"].get<double>() == doctest::Approx(2).epsilon(0.03));
  CHECK(done[1]["transcript"] == "");
}

TEST_CASE("realtime items: what is cleared is not heard again, and an item may fail") {
  tests::Script script{.words = {{" one", 0.2, 0.6, 1}, {" two", 3.2, 3.6, 1}}, .length_s = 8};
  const auto samples = tests::samples_of(script);
  Caller client(script);
  client.items.clear();  // before anything is heard
  client.listen(RealtimeTurns{});
  client.items.push(std::span(samples).first(16000 / 2), false);
  client.items.clear();
  client.items.push(std::span(samples).subspan(2 * 16000, 4 * 16000), false);
  const auto done = client.of_type(".completed");
  REQUIRE(done.size() == 1);
  CHECK(done[0]["transcript"] == "two");
  CHECK(done[0]["item_id"] == "item_2");
  CHECK(client.of_type(".cleared").size() == 2);
  CHECK(client.of_type(".committed")[0]["previous_item_id"].is_null());
  client.items.fail({500, "it has failed"});
  CHECK(client.told.back()["type"] == "error");
  client.listen(RealtimeTurns{});
  client.items.push(std::span(samples).subspan(3 * 16000, 8000), false);
  client.items.fail({500, "it has failed"});
  CHECK(client.told.back()["type"] == "conversation.item.input_audio_transcription.failed");
  CHECK(client.told.back()["error"]["message"] == "it has failed");
}
