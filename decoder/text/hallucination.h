// Words that were probably never said: openai/whisper transcribe.py's
// hallucination_silence_threshold as pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decoder/text/segment.h"

namespace wnpu::decoder {

// Whether the first words of a segment are improbable, very short or very long.
bool is_anomalous(const Segment& segment);

// A window with word timestamps; all times in seconds of the file.
struct WindowTimes {
  double start = 0;
  double duration = 0;               // of its audio
  double end = 0;                    // start + 30 s
  double content = 0;                // of the whole file
  double last_speech_timestamp = 0;  // end of the last word before the window
};

// Verdict on probable hallucinations among a window's segments.
struct HallucinationVerdict {
  // Segments from this index on are dropped; none: all stay.
  std::optional<std::size_t> drop_from;
  // Start of the next window, in seconds; empty: unchanged.
  std::optional<double> seek;
  // The first words are the improbable ones, behind silence: the window counts as not decoded, and
  // what the next one is prompted with does not change.
  bool skips_window = false;
};

// `segments` as place_words() leaves them, not yet widened. `threshold`: silence longer than this,
// in seconds, around an anomalous segment condemns it.
HallucinationVerdict judge_hallucinations(std::span<const Segment> segments,
                                          const WindowTimes& window, double threshold);

}  // namespace wnpu::decoder
