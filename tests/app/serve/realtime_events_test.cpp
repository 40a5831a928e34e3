#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/serve/realtime/events.h"

namespace {

using namespace wnpu;         // NOLINT
using namespace wnpu::serve;  // NOLINT
using Json = nlohmann::json;

// The message and the id of an event that is refused; empty: it is not.
std::string refusal(const std::string& event) {
  try {
    parse_client_event(event, {});
    return {};
  } catch (const EventError& error) {
    CHECK(error.status == 400);
    return error.event_id.empty() ? error.what() : error.event_id + ": " + error.what();
  }
}

std::string decoded_audio(const std::string& base64) {
  const ClientEvent event =
      parse_client_event(Json{{"type", "input_audio_buffer.append"}, {"audio", base64}}.dump(), {});
  CHECK(event.type == ClientEvent::Type::append);
  return {reinterpret_cast<const char*>(event.audio.data()), event.audio.size()};
}

}  // namespace

TEST_CASE("realtime events: audio is base64, with its padding or without") {
  CHECK(decoded_audio("") == "");
  CHECK(decoded_audio("TQ==") == "M");
  CHECK(decoded_audio("TWE=") == "Ma");
  CHECK(decoded_audio("TWFu") == "Man");
  CHECK(decoded_audio("TWE") == "Ma");
  CHECK(decoded_audio("+/8A") == std::string("\xfb\xff\0", 3));
  for (const char* bad :
       {"T", "TQ=", "TQ===", "====", "=", "T=Q=", "TW u", "TW-_", "TWFuT", "TQ\n=="}) {
    CAPTURE(bad);
    CHECK(refusal(Json{{"type", "input_audio_buffer.append"}, {"audio", bad}}.dump()) ==
          "audio: expected base64, found something else");
  }
}

TEST_CASE("realtime events: the session in both of its shapes") {
  const ClientEvent flat = parse_client_event(R"({"type": "transcription_session.update",
    "event_id": "e7", "session": {"input_audio_format": "g711_ulaw", "input_audio_transcription":
    {"model": "base", "language": "de", "prompt": "Ulm"}, "turn_detection": {"type": "server_vad",
    "threshold": 0.25, "silence_duration_ms": 750}, "include": ["x"]}})",
                                              {});
  CHECK(flat.type == ClientEvent::Type::update);
  CHECK(flat.event_id == "e7");
  const RealtimeSettings& set = flat.settings;
  CHECK(set.is_flat);
  CHECK(set.format == audio::RawFormat{audio::SampleFormat::mulaw, 8000, 1});
  CHECK(set.model == "base");
  CHECK(set.language == "de");
  CHECK(set.prompt == "Ulm");
  REQUIRE(set.turns);
  CHECK(*set.turns == RealtimeTurns{0.25, 0.3, 0.75});

  // A field that is not there stays.
  const ClientEvent nested = parse_client_event(R"({"type": "session.update", "session": {"type":
    "transcription", "audio": {"input": {"format": {"type": "audio/pcm", "rate": 24000},
    "transcription": {"language": null}, "turn_detection": null}}}})",
                                                set);
  CHECK_FALSE(nested.settings.is_flat);
  CHECK(nested.settings.format == RealtimeSettings{}.format);
  CHECK(nested.settings.model == "base");
  CHECK(nested.settings.language.empty());
  CHECK_FALSE(nested.settings.turns);

  RealtimeWriter writer("sess_1");
  for (const ClientEvent* event : {&flat, &nested}) {
    const Json told = Json::parse(writer.session(event->settings, false));
    const std::string name = event == &flat ? "transcription_session" : "session";
    CHECK(told["type"] == name + ".updated");
    CHECK(told["session"]["id"] == "sess_1");
    const Json again = {{"type", name + ".update"}, {"session", told["session"]}};
    CHECK(parse_client_event(again.dump(), {}).settings == event->settings);
  }
}

TEST_CASE("realtime events: what is refused is named") {
  CHECK(refusal("{") == "event: expected JSON, found something else");
  CHECK(refusal("\"\xff\"") == "event: expected JSON, found something else");
  CHECK(refusal("[1]") == "event: expected an object, found [1]");
  CHECK(refusal(R"({"event_id": "a"})").starts_with("a: type: expected transcription_session.up"));
  CHECK(refusal(R"({"type": "response.create"})").ends_with("found \"response.create\""));
  CHECK(refusal(R"({"type": "input_audio_buffer.append"})") ==
        "audio: expected base64, found null");
  CHECK(refusal(R"({"type": "session.update"})") == "session: expected an object, found null");
  const auto flat = [](const std::string& session) {
    return refusal(R"({"type": "transcription_session.update", "session": )" + session + "}");
  };
  CHECK(flat(R"({"input_audio_format": "opus"})") ==
        "session.input_audio_format: expected one of pcm16, g711_ulaw, g711_alaw, found \"opus\"");
  CHECK(flat(R"({"turn_detection": {"type": "semantic_vad"}})") ==
        "session.turn_detection.type: expected server_vad, found \"semantic_vad\"");
  CHECK(flat(R"({"turn_detection": {"silence_duration_ms": 5}})") ==
        "session.turn_detection.silence_duration_ms: expected a number from 100.0 to 10000.0, "
        "found 5");
  CHECK(flat(R"({"turn_detection": {"threshold": "0.5"}})") ==
        "session.turn_detection.threshold: expected a number from 0.0 to 1.0, found \"0.5\"");
  CHECK(flat(R"({"input_audio_transcription": {"language": 7}})") ==
        "session.input_audio_transcription.language: expected a text, found 7");
  const auto nested = [](const std::string& session) {
    return refusal(R"({"type": "session.update", "session": )" + session + "}");
  };
  CHECK(nested(R"({"type": "realtime"})") ==
        "session.type: expected transcription, found \"realtime\"");
  CHECK(nested(R"({"audio": {"input": {"format": {"type": "audio/pcm", "rate": 16000}}}})") ==
        "session.audio.input.format.rate: expected 24000, found 16000");
  CHECK(nested(R"({"audio": []})") == "session.audio: expected an object, found []");
}

TEST_CASE("realtime events: what a client is told") {
  RealtimeWriter writer("sess_1");
  CHECK(writer.delta("item_1", " caf\xc3") ==
        R"({"type":"conversation.item.input_audio_transcription.delta","event_id":"event_1",)"
        R"("item_id":"item_1","content_index":0,"delta":" caf)"
        "\xef\xbf\xbd"
        R"("})");
  const Json error = Json::parse(writer.error({400, "no", "audio", "bad"}, "e1"));
  CHECK(error == Json{{"type", "error"},
                      {"event_id", "event_2"},
                      {"error",
                       {{"type", "invalid_request_error"},
                        {"code", "bad"},
                        {"message", "no"},
                        {"param", "audio"},
                        {"event_id", "e1"}}}});
  CHECK(Json::parse(writer.committed("item_1", ""))["previous_item_id"].is_null());
}
