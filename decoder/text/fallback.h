// Whether a decoded window is good enough: openai/whisper transcribe.py decode_with_fallback.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "decoder/search/decode_options.h"

namespace wnpu::decoder {

// When a decoded window is not good enough; none switches a test off.
struct Thresholds {
  std::optional<double> compression_ratio = 2.4;  // above: the text repeats itself
  std::optional<double> logprob = -1.0;           // below: the model was unsure
  std::optional<double> no_speech = 0.6;          // above, and unsure: silence
};

// decode_with_fallback: whether to try again at the next temperature.
bool needs_fallback(const Decoded& decoded, const Thresholds& thresholds);
// Index of the try to keep where every temperature failed: the likeliest of those that do not
// repeat themselves, or of all where all do (faster-whisper generate_with_fallback). tries is not
// empty.
std::size_t best_try(std::span<const Decoded> tries, const Thresholds& thresholds);
// Whether to skip the window as silence.
bool is_silence(const Decoded& decoded, const Thresholds& thresholds);

}  // namespace wnpu::decoder
