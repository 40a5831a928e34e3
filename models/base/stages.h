// The values that pass from one stage to the next. They are separate types so that the compiler
// refuses a log-mel window where encoder states are expected.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "models/base/tensor.h"

namespace wnpu::models {

// One 30 s window of log-mel features: [n_mels, 3000]. Frames beyond the audio are 0.0, as in
// openai/whisper transcribe.py (pad_or_trim of the normalised spectrogram).
struct LogMel {
  Matrix values;
  // Frames from here on are padding, which the encoder may pool; none: it may not.
  std::optional<std::size_t> poolable_from = std::nullopt;
};

// Rows of a window's encoder states that are pooled padding: each row from first_row on is the
// mean of n_positions positions, and attention counts it as that many, by adding log_positions().
struct PooledPadding {
  std::size_t first_row = std::numeric_limits<std::size_t>::max();  // none is pooled
  std::size_t n_positions = 1;

  // Term that attention adds to the score of a pooled row: exp of it is n_positions.
  float log_positions() const { return std::log(static_cast<float>(n_positions)); }
  bool operator==(const PooledPadding&) const = default;
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
