// Ranges and names that the options of whisper_npu.hpp may have. One place for all users: the
// command line reads its numbers by the same ranges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu_service.hpp"

namespace wnpu::app {

// Both ends included; NaN is in none.
template <typename Number>
struct Range {
  Number first;
  Number last;

  constexpr bool contains(Number value) const { return value >= first && value <= last; }
};

namespace ranges {

using Numbers = Range<double>;
using Integers = Range<std::uint64_t>;

// Beams, candidates, windows: more than memory and sense allow.
inline constexpr Integers kAtOnce = {1, 64};
inline constexpr Integers kFeatureBytes = {std::uint64_t{1} << 20, std::uint64_t{1} << 30};
// Tokens that a window can have: half of Whisper's text context.
inline constexpr Integers kTokens = {0, 224};
// Range of thresholds: values stay finite when they are converted to float.
inline constexpr Numbers kAnyNumber = {-1e9, 1e9};
inline constexpr Numbers kProbability = {0, 1};
inline constexpr Numbers kTemperature = {0, 1};
inline constexpr Numbers kTemperatureIncrement = {0.01, 1};
inline constexpr Numbers kPatience = {0.1, 100};
inline constexpr Numbers kRepetitionPenalty = {0.1, 10};
inline constexpr Numbers kMilliseconds = {0, 1e6};
inline constexpr Numbers kSecondsOfSpeech = {1, 1e6};
inline constexpr Numbers kSecondsOfWindow = {0, 30};
inline constexpr Numbers kSecondsOfAudio = {0, 1e8};  // three years
inline constexpr Integers kSpeakers = {1, 20};
inline constexpr Numbers kMaxDuration = {1, 1e8};

}  // namespace ranges

// Whether the stretches to transcribe are given, and are not the whole of the audio.
bool has_clips(const TranscribeOptions& options);

// Names of speakers, by left, right or their number: "left=Anna,right=Ben", "1=Anna,2=Ben", "" for
// none. Throws Error(usage) for what has another form; check_options() checks keys and names.
std::vector<std::pair<std::string, std::string>> speaker_names_of(const std::string& text);

// Checks that need no model. Throw Error(usage) that names the field.
void check_number(std::string_view option, double value, const ranges::Numbers& range);
void check_options(const TranscribeOptions& options);
void check_audio(const Audio& audio);
// Checks arguments of Session::transcribe_each.
void check_together(std::size_t n_together, const TranscribeOptions& options);
void check_service(const ServiceOptions& options);

}  // namespace wnpu::app
