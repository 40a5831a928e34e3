// --speakers: how many speakers a recording has.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "app/options/exit_code.h"
#include "audio/speakers/speaker_turn.h"

namespace wnpu::app {

inline constexpr const char* kSpeakerCountType = "auto|N|MIN-MAX";

// 1 to the most of "auto"; none: something else.
inline std::optional<int> speakers_of_digits(std::string_view digits) {
  int count = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, count);
  if (error != std::errc() || stop != end || count < 1) return std::nullopt;
  return count <= audio::SpeakerCount{}.max ? std::optional(count) : std::nullopt;
}

// "auto" (any number that audio::SpeakerCount has), "3", or "2-4". Throws UsageError for anything
// else, for 0, for more than the most of "auto", and where MIN is greater than MAX.
inline audio::SpeakerCount speaker_count_of(std::string_view text) {
  if (text == "auto") return {};
  const std::size_t dash = text.find('-');
  const auto min = speakers_of_digits(text.substr(0, dash));
  const auto max = dash == std::string_view::npos ? min : speakers_of_digits(text.substr(dash + 1));
  if (!min || !max || *min > *max) {
    throw UsageError("--speakers: expected auto, a number from 1 to " +
                     std::to_string(audio::SpeakerCount{}.max) + ", or two such as 2-4, found \"" +
                     std::string(text) + "\"");
  }
  return {*min, *max};
}

}  // namespace wnpu::app
