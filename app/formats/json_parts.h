// JSON parts that several formats have in common.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// A time of the audio to the millisecond, as all other formats have it, without the binary noise of
// sums: 76.6, not 76.60000000000001. What is not finite is null.
nlohmann::ordered_json audio_time(double seconds);

// Clock's seconds, to the microsecond.
nlohmann::ordered_json wall_time(double seconds);

template <typename T>
nlohmann::ordered_json json_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

// openai-whisper's fields of a segment, without its words.
nlohmann::ordered_json segment_json(const Segment& segment);

// [{"word": " and", "start": 0.5, "end": 0.8, "probability": 0.9}, ...]
nlohmann::ordered_json words_json(const Segment& segment);

// [{"name": "Anna", "seconds": 4.2, "confidence": 0.97}, ...]
nlohmann::ordered_json speakers_json(const std::vector<Speaker>& speakers);

}  // namespace wnpu::app
