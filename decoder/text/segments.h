// From the tokens of a window to segments, and what follows for the loop over windows: openai/
// whisper transcribe.py's rules as pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoder/search/decode_options.h"
#include "decoder/text/segment.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

inline constexpr double kFramesPerSecond = 100;  // hop of 160 samples at 16 kHz

// Position and length of a window, in frames of 10 ms.
struct Window {
  std::size_t seek = 0;  // first frame
  std::size_t size = 0;  // frames of audio in it; 3000, or fewer at the end
};

struct SplitWindow {
  std::vector<Segment> segments;         // ids are left 0
  std::size_t next_seek = 0;             // frame of the file at which the next window begins
  bool single_timestamp_ending = false;  // no speech after the last segment
  bool is_skipped = false;               // HallucinationVerdict::skips_window
};

// Cuts the window's tokens at consecutive timestamps; the next window starts at the last one, or
// behind this window where the tokens end in a single timestamp or have no pairs.
SplitWindow split_at_timestamps(const Decoded& decoded, const Window& window,
                                const models::Vocabulary& vocabulary);

// A segment without duration or text is emptied: text, tokens and words.
void clear_if_empty(Segment& segment);

}  // namespace wnpu::decoder
