#include "app/serve/answers.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/engine/windows/spoken_language.h"
#include "app/formats/json_parts.h"
#include "app/formats/repaired.h"
#include "app/formats/writers.h"
#include "models/base/utf8.h"

namespace wnpu::serve {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_of_all(const Transcript& transcript) {
  std::string text;
  for (const Segment& segment : transcript.segments) text += segment.text;
  return std::string(models::strip(text));
}

// Audio that is paid for at OpenAI; here it is how much was heard.
Json usage_of(const Transcript& transcript) {
  return {{"type", "duration"}, {"seconds", std::ceil(transcript.input.duration)}};
}

Json verbose_segment(const Segment& segment) {
  Json json = app::segment_json(segment);
  if (!segment.speaker.empty()) json["speaker"] = segment.speaker;
  return json;
}

// OpenAI's labels: the name that the client gave, else A, B, ... in the order of the speakers.
std::string label_of(const Segment& segment, const Transcript& transcript, const Order& order) {
  const auto& speakers = *transcript.speakers;
  const auto found = std::ranges::find(speakers, segment.speaker, &Speaker::name);
  if (found == speakers.end()) return "";
  const auto& names = order.transcribe.speakers.names;
  const bool is_given =
      std::ranges::any_of(names, [&](const auto& each) { return each.second == segment.speaker; });
  if (is_given) return segment.speaker;
  return std::string(1, static_cast<char>('A' + (found - speakers.begin())));
}

// OpenAI's TranscriptionDiarized.
std::string diarized_json(const Transcript& transcript, const Order& order) {
  Json segments = Json::array();
  for (const Segment& segment : transcript.segments) {
    segments.push_back({{"type", "transcript.text.segment"},
                        {"id", "seg_" + std::to_string(segment.id)},
                        {"start", app::audio_time(segment.start)},
                        {"end", app::audio_time(segment.end)},
                        {"text", models::strip(segment.text)},
                        {"speaker", label_of(segment, transcript, order)}});
  }
  return dumped({{"task", transcript.task},
                 {"duration", app::audio_time(transcript.input.duration)},
                 {"text", text_of_all(transcript)},
                 {"segments", segments},
                 {"usage", usage_of(transcript)}});
}

Json openai_words(const Transcript& transcript) {
  Json words = Json::array();
  for (const Segment& segment : transcript.segments) {
    for (const Word& word : segment.words) {
      words.push_back({{"word", models::strip(word.text)},
                       {"start", app::audio_time(word.start)},
                       {"end", app::audio_time(word.end)}});
    }
  }
  return words;
}

std::string verbose_json(const Transcript& transcript, const Order& order) {
  const std::string_view name = app::language_name(transcript.language);
  Json json = {{"task", transcript.task},
               {"language", name.empty() ? std::string_view(transcript.language) : name},
               {"duration", app::audio_time(transcript.input.duration)},
               {"text", text_of_all(transcript)}};
  if (order.wants_segments) {
    json["segments"] = Json::array();
    for (const Segment& segment : transcript.segments) {
      json["segments"].push_back(verbose_segment(segment));
    }
  }
  if (order.wants_words) json["words"] = openai_words(transcript);
  json["usage"] = usage_of(transcript);
  return dumped(json);
}

std::string subtitles(app::Format format, const Transcript& transcript, const Order& order) {
  std::ostringstream out;
  app::write(format, transcript, {.layout = order.layout}, out);
  return std::move(out).str();
}

std::string event_of(const Json& json) { return "data: " + dumped(json) + "\n\n"; }

}  // namespace

Answer answer_of(const Transcript& of, const Order& order) {
  const Transcript transcript = app::repaired(of);
  switch (order.format) {
    case ResponseFormat::text:
      return {.type = "text/plain; charset=utf-8", .body = text_of_all(transcript) + "\n"};
    case ResponseFormat::srt:
      return {.type = "application/x-subrip; charset=utf-8",
              .body = subtitles(app::Format::srt, transcript, order)};
    case ResponseFormat::vtt:
      return {.type = "text/vtt; charset=utf-8",
              .body = subtitles(app::Format::vtt, transcript, order)};
    case ResponseFormat::verbose_json:
      return {.body = verbose_json(transcript, order)};
    case ResponseFormat::diarized_json:
      return {.body = diarized_json(transcript, order)};
    case ResponseFormat::json:
      break;
  }
  return {.body = dumped({{"text", text_of_all(transcript)}, {"usage", usage_of(transcript)}})};
}

std::string TextSoFar::add(const std::string& text) {
  std::string repaired = models::repair_utf8(text);
  if (all_.empty()) repaired.erase(0, models::leading_space(repaired));
  all_ += repaired;
  return repaired;
}

Answer event_stream() {
  return {.type = "text/event-stream; charset=utf-8", .headers = {{"Cache-Control", "no-cache"}}};
}

std::string delta_event(const std::string& delta, const Segment& segment, bool with_words) {
  Json json = {{"id", segment.id},
               {"start", app::audio_time(segment.start)},
               {"end", app::audio_time(segment.end)},
               {"text", models::repair_utf8(segment.text)}};
  if (with_words) json["words"] = app::words_json(segment);
  if (!segment.speaker.empty()) json["speaker"] = segment.speaker;
  return event_of({{"type", "transcript.text.delta"}, {"delta", delta}, {"segment", json}});
}

std::string done_event(const std::string& text, const Transcript& transcript) {
  return event_of({{"type", "transcript.text.done"},
                   {"text", text},
                   {"language", transcript.language},
                   {"duration", app::audio_time(transcript.input.duration)}});
}

std::string error_event(const std::string& error_json) { return "data: " + error_json + "\n\n"; }

}  // namespace wnpu::serve
