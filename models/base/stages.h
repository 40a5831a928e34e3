// The values that pass from one stage to the next. They are separate types so that the compiler
// refuses a log-mel window where encoder states are expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/base/pooled_padding.h"
#include "models/base/tensor.h"

namespace wnpu::models {

// One 30 s window of log-mel features: [n_mels, 3000]. Frames beyond the audio are 0.0, as in
// openai/whisper transcribe.py (pad_or_trim of the normalised spectrogram).
struct LogMel {
  Matrix values;
  // Frames from here on are padding, which the encoder may pool; none: it may not.
  std::optional<std::size_t> poolable_from = std::nullopt;
};

// Encoder output for a window, after the final layer norm: [n_audio_ctx, n_audio_state], or fewer
// rows where padding is pooled.
struct EncoderStates {
  Matrix values;
  PooledPadding pooled = {};
};

// An entry of the vocabulary, special tokens and timestamps included.
using TokenId = std::int32_t;

}  // namespace wnpu::models
