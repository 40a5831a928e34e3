#include "app/formats/json_parts.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace wnpu::app {

using nlohmann::ordered_json;

ordered_json audio_time(double seconds) {
  if (!std::isfinite(seconds)) return nullptr;
  return std::nearbyint(seconds * 1000) / 1000;
}

ordered_json wall_time(double seconds) {
  if (!std::isfinite(seconds)) return nullptr;
  return std::nearbyint(seconds * 1e6) / 1e6;
}

ordered_json segment_json(const Segment& segment) {
  return {{"id", segment.id},
          {"seek", segment.seek},
          {"start", audio_time(segment.start)},
          {"end", audio_time(segment.end)},
          {"text", segment.text},
          {"tokens", segment.tokens},
          {"temperature", segment.temperature},
          {"avg_logprob", segment.avg_logprob},
          {"compression_ratio", segment.compression_ratio},
          {"no_speech_prob", segment.no_speech_prob}};
}

ordered_json words_json(const Segment& segment) {
  ordered_json words = ordered_json::array();
  for (const Word& word : segment.words) {
    words.push_back({{"word", word.text},
                     {"start", audio_time(word.start)},
                     {"end", audio_time(word.end)},
                     {"probability", word.probability}});
    if (!word.speaker.empty()) words.back()["speaker"] = word.speaker;
  }
  return words;
}

nlohmann::ordered_json speakers_json(const std::vector<Speaker>& speakers) {
  auto all = nlohmann::ordered_json::array();
  for (const Speaker& each : speakers) {
    all.push_back({{"name", each.name},
                   {"seconds", audio_time(each.seconds)},
                   {"confidence", audio_time(each.confidence)}});
  }
  return all;
}

}  // namespace wnpu::app
