#include "app/formats/stream_event.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

const char* type_name(StreamEvent::Type type) {
  if (type == StreamEvent::Type::speaker) return "speaker";
  return type == StreamEvent::Type::final ? "final" : "partial";
}

double thousandths(double seconds) { return std::nearbyint(seconds * 1000) / 1000; }

}  // namespace

std::string StreamEvent::text() const {
  std::string text;
  for (const Word& word : words) text += word.text;
  return models::repair_utf8(text);
}

std::string stream_json(const StreamEvent& event, double work) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const Word& word : event.words) {
    words.push_back({{"word", models::repair_utf8(word.text)},
                     {"start", thousandths(word.start)},
                     {"end", thousandths(word.end)},
                     {"probability", word.probability}});
  }
  const double end = event.words.empty() ? event.heard : event.words.back().end;
  nlohmann::ordered_json line = {
      {"type", type_name(event.type)},
      {"text", event.text()},
      {"language", event.language},
      {"start", thousandths(event.words.empty() ? end : event.words.front().start)},
      {"end", thousandths(end)},
      {"words", words},
      {"latency", thousandths(std::max(0.0, event.heard - end))},
      {"work", thousandths(work)}};
  if (!event.speaker.empty()) line["speaker"] = event.speaker;
  return line.dump() + "\n";
}

}  // namespace wnpu::app
