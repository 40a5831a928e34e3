#include "app/serve/realtime/events.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace wnpu::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPcmRate = 24000;
constexpr int kTelephoneRate = 8000;
constexpr std::size_t kMostPrompt = 4096;  // bytes

struct NamedFormat {
  std::string_view flat;    // of transcription_session.update
  std::string_view nested;  // of session.update
  audio::RawFormat format;
};
constexpr std::array kFormats{
    NamedFormat{"pcm16", "audio/pcm", {audio::SampleFormat::s16le, kPcmRate, 1}},
    NamedFormat{"g711_ulaw", "audio/pcmu", {audio::SampleFormat::mulaw, kTelephoneRate, 1}},
    NamedFormat{"g711_alaw", "audio/pcma", {audio::SampleFormat::alaw, kTelephoneRate, 1}}};

[[noreturn]] void refuse(const std::string& path, const std::string& expected, const Json& found) {
  std::string shown = found.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > 80) shown = found.type_name();
  throw ApiError(400, path + ": expected " + expected + ", found " + shown, path, "invalid_value");
}

std::string string_in(const Json& value, const std::string& path) {
  if (value.is_null()) return {};
  if (!value.is_string()) refuse(path, "a text", value);
  return value.get<std::string>();
}

double number_of(const Json& value, const std::string& path, double least, double most) {
  const bool is_number = value.is_number();
  const double number = is_number ? value.get<double>() : 0;
  if (!is_number || !(number >= least && number <= most)) {
    refuse(path, "a number from " + Json(least).dump() + " to " + Json(most).dump(), value);
  }
  return number;
}

const Json& object_of(const Json& value, const std::string& path) {
  if (!value.is_object()) refuse(path, "an object", value);
  return value;
}

// The member, if there is one.
const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

void take_format(const Json& value, std::string_view NamedFormat::*name, const std::string& path,
                 RealtimeSettings& settings) {
  std::string expected;
  for (const NamedFormat& each : kFormats) {
    if (value == each.*name) {
      settings.format = each.format;
      return;
    }
    expected += (expected.empty() ? "" : ", ") + std::string(each.*name);
  }
  refuse(path, "one of " + expected, value);
}

void take_transcription(const Json& value, const std::string& path, RealtimeSettings& settings) {
  if (value.is_null()) return;
  object_of(value, path);
  const auto take = [&](const char* name, std::string& into) {
    if (const Json* const found = member(value, name)) into = string_in(*found, path + "." + name);
  };
  take("model", settings.model);
  take("language", settings.language);
  take("prompt", settings.prompt);
  if (settings.prompt.size() > kMostPrompt)
    refuse(path + ".prompt", "at most " + std::to_string(kMostPrompt) + " bytes", settings.prompt);
}

void take_turns(const Json& value, const std::string& path, RealtimeSettings& settings) {
  settings.turns.reset();
  if (value.is_null()) return;
  object_of(value, path);
  const Json* const type = member(value, "type");
  if (type != nullptr && *type != "server_vad") refuse(path + ".type", "server_vad", *type);
  RealtimeTurns& turns = settings.turns.emplace();
  const auto take = [&](const char* name, double& into, double least, double most, double scale) {
    if (const Json* const found = member(value, name); found != nullptr && !found->is_null())
      into = number_of(*found, path + "." + name, least, most) * scale;
  };
  take("threshold", turns.threshold, 0, 1, 1);
  take("prefix_padding_ms", turns.prefix_padding_s, 0, 5000, 1e-3);
  take("silence_duration_ms", turns.silence_s, 100, 10000, 1e-3);
}

// {"input_audio_format", "input_audio_transcription", "turn_detection"}
void take_flat(const Json& session, RealtimeSettings& settings) {
  settings.is_flat = true;
  if (const Json* const format = member(session, "input_audio_format"))
    take_format(*format, &NamedFormat::flat, "session.input_audio_format", settings);
  if (const Json* const how = member(session, "input_audio_transcription"))
    take_transcription(*how, "session.input_audio_transcription", settings);
  if (const Json* const turns = member(session, "turn_detection"))
    take_turns(*turns, "session.turn_detection", settings);
}

// {"type", "audio": {"input": {"format", "transcription", "turn_detection"}}}
void take_nested(const Json& session, RealtimeSettings& settings) {
  settings.is_flat = false;
  const Json* const type = member(session, "type");
  if (type != nullptr && *type != "transcription") refuse("session.type", "transcription", *type);
  const Json* const audio = member(session, "audio");
  if (audio == nullptr) return;
  const Json* const input = member(object_of(*audio, "session.audio"), "input");
  if (input == nullptr) return;
  const std::string path = "session.audio.input";
  object_of(*input, path);
  if (const Json* const format = member(*input, "format")) {
    object_of(*format, path + ".format");
    const Json* const name = member(*format, "type");
    take_format(name != nullptr ? *name : Json(), &NamedFormat::nested, path + ".format.type",
                settings);
    const Json* const rate = member(*format, "rate");
    if (rate != nullptr && *rate != settings.format.sample_rate) {
      refuse(path + ".format.rate", std::to_string(settings.format.sample_rate), *rate);
    }
  }
  if (const Json* const how = member(*input, "transcription"))
    take_transcription(*how, path + ".transcription", settings);
  if (const Json* const turns = member(*input, "turn_detection"))
    take_turns(*turns, path + ".turn_detection", settings);
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

std::vector<std::byte> bytes_of_base64(std::string_view text) {
  const std::size_t size = text.size();
  while (!text.empty() && text.ends_with('=') && size - text.size() < 2) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  unsigned bits = 0;
  int n_bits = 0;
  bool is_sound = size % 4 == 0 || size == text.size();
  for (const char c : text) {
    const int digit = base64_digit(c);
    is_sound = is_sound && digit >= 0;
    bits = (bits << 6U | (static_cast<unsigned>(digit) & 63U)) & 0xffffU;
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> static_cast<unsigned>(n_bits) & 0xffU));
  }
  if (!is_sound || text.size() % 4 == 1) {
    throw ApiError(400, "audio: expected base64, found something else", "audio", "invalid_value");
  }
  return bytes;
}

void take_event(const Json& json, const RealtimeSettings& now, ClientEvent& event) {
  const Json* const name = member(json, "type");
  const std::string type = name != nullptr && name->is_string() ? name->get<std::string>() : "";
  const bool is_flat = type == "transcription_session.update";
  if (is_flat || type == "session.update") {
    event.type = ClientEvent::Type::update;
    event.settings = now;
    const Json* const session = member(json, "session");
    object_of(session != nullptr ? *session : Json(), "session");
    is_flat ? take_flat(*session, event.settings) : take_nested(*session, event.settings);
  } else if (type == "input_audio_buffer.append") {
    event.type = ClientEvent::Type::append;
    const Json* const audio = member(json, "audio");
    if (audio == nullptr || !audio->is_string()) refuse("audio", "base64", audio ? *audio : Json());
    event.audio = bytes_of_base64(audio->get_ref<const std::string&>());
  } else if (type == "input_audio_buffer.commit") {
    event.type = ClientEvent::Type::commit;
  } else if (type == "input_audio_buffer.clear") {
    event.type = ClientEvent::Type::clear;
  } else {
    refuse("type",
           "transcription_session.update, session.update or input_audio_buffer.append, "
           ".commit or .clear",
           name != nullptr ? *name : Json());
  }
}

std::string event_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json turns_json(const std::optional<RealtimeTurns>& turns) {
  if (!turns) return {};
  const auto ms = [](double seconds) { return static_cast<int>(seconds * 1000 + 0.5); };
  return {{"type", "server_vad"},
          {"threshold", turns->threshold},
          {"prefix_padding_ms", ms(turns->prefix_padding_s)},
          {"silence_duration_ms", ms(turns->silence_s)}};
}

Json session_json(const RealtimeSettings& settings, const std::string& id) {
  const NamedFormat* format = kFormats.data();
  for (const NamedFormat& each : kFormats)
    if (each.format == settings.format) format = &each;
  const Json transcription = {{"model", settings.model},
                              {"language", or_null(settings.language)},
                              {"prompt", settings.prompt}};
  Json json = {{"id", id}, {"object", "realtime.transcription_session"}};
  if (settings.is_flat) {
    json["input_audio_format"] = format->flat;
    json["input_audio_transcription"] = transcription;
    json["turn_detection"] = turns_json(settings.turns);
    return json;
  }
  Json format_json = {{"type", format->nested}};
  if (format == kFormats.data()) format_json["rate"] = kPcmRate;
  json["type"] = "transcription";
  json["audio"]["input"] = {{"format", format_json},
                            {"transcription", transcription},
                            {"turn_detection", turns_json(settings.turns)}};
  return json;
}

}  // namespace

ClientEvent parse_client_event(std::string_view text, const RealtimeSettings& now) {
  ClientEvent event;
  try {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
      throw ApiError(400, "event: expected JSON, found something else", "", "invalid_json");
    object_of(json, "event");
    const Json* const id = member(json, "event_id");
    if (id != nullptr && id->is_string()) event.event_id = id->get<std::string>();
    take_event(json, now, event);
  } catch (const ApiError& error) {
    throw EventError(error, event.event_id);
  }
  return event;
}

std::string RealtimeWriter::next_id() { return "event_" + std::to_string(++n_events_); }

std::string RealtimeWriter::session(const RealtimeSettings& settings, bool is_new) {
  const std::string name = settings.is_flat ? "transcription_session." : "session.";
  return event_text(Json{{"type", name + (is_new ? "created" : "updated")},
                         {"event_id", next_id()},
                         {"session", session_json(settings, session_id_)}});
}

std::string RealtimeWriter::error(const ApiError& error, const std::string& event_id) {
  Json json = {{"type", "error"}, {"event_id", next_id()}};
  json.update(Json::parse(error_json(error)));
  json["error"]["event_id"] = or_null(event_id);
  return event_text(json);
}

std::string RealtimeWriter::speech_started(const std::string& item, std::uint64_t at_ms) {
  return event_text(Json{{"type", "input_audio_buffer.speech_started"},
                         {"event_id", next_id()},
                         {"audio_start_ms", at_ms},
                         {"item_id", item}});
}

std::string RealtimeWriter::speech_stopped(const std::string& item, std::uint64_t at_ms) {
  return event_text(Json{{"type", "input_audio_buffer.speech_stopped"},
                         {"event_id", next_id()},
                         {"audio_end_ms", at_ms},
                         {"item_id", item}});
}

std::string RealtimeWriter::committed(const std::string& item, const std::string& previous) {
  return event_text(Json{{"type", "input_audio_buffer.committed"},
                         {"event_id", next_id()},
                         {"previous_item_id", or_null(previous)},
                         {"item_id", item}});
}

std::string RealtimeWriter::cleared() {
  return event_text(Json{{"type", "input_audio_buffer.cleared"}, {"event_id", next_id()}});
}

std::string RealtimeWriter::delta(const std::string& item, const std::string& text) {
  return event_text(Json{{"type", "conversation.item.input_audio_transcription.delta"},
                         {"event_id", next_id()},
                         {"item_id", item},
                         {"content_index", 0},
                         {"delta", text}});
}

std::string RealtimeWriter::completed(const std::string& item, const std::string& text,
                                      double seconds) {
  return event_text(Json{{"type", "conversation.item.input_audio_transcription.completed"},
                         {"event_id", next_id()},
                         {"item_id", item},
                         {"content_index", 0},
                         {"transcript", text},
                         {"usage", {{"type", "duration"}, {"seconds", seconds}}}});
}

std::string RealtimeWriter::failed(const std::string& item, const ApiError& error) {
  Json json = {{"type", "conversation.item.input_audio_transcription.failed"},
               {"event_id", next_id()},
               {"item_id", item},
               {"content_index", 0}};
  json.update(Json::parse(error_json(error)));
  return event_text(json);
}

}  // namespace wnpu::serve
