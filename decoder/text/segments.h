// From the tokens of a window to segments, and what follows for the loop over windows: openai/
// whisper transcribe.py's rules as pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decoder/search/decode_options.h"
#include "decoder/text/segment.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

// When a decoded window is not good enough; none switches a test off.
struct Thresholds {
  std::optional<double> compression_ratio = 2.4;  // above: the text repeats itself
  std::optional<double> logprob = -1.0;           // below: the model was unsure
  std::optional<double> no_speech = 0.6;          // above, and unsure: silence
};

// decode_with_fallback: whether to try again at the next temperature.
bool needs_fallback(const Decoded& decoded, const Thresholds& thresholds);
// Where every temperature failed: which try to keep, the likeliest of those that do not repeat
// themselves, or of all where all do (faster-whisper generate_with_fallback). tries is not empty.
std::size_t best_try(std::span<const Decoded> tries, const Thresholds& thresholds);
// Whether to skip the window as silence.
bool is_silence(const Decoded& decoded, const Thresholds& thresholds);

// Where a window lies: frames of 10 ms.
struct Window {
  std::size_t seek = 0;  // first frame
  std::size_t size = 0;  // frames of audio in it; 3000, or fewer at the end
};

struct SplitWindow {
  std::vector<Segment> segments;  // ids are left 0
  std::size_t next_seek = 0;
  bool single_timestamp_ending = false;  // no speech after the last segment
};

// Cuts the window's tokens at consecutive timestamps; the next window starts at the last one, or
// behind this window where the tokens end in a single timestamp or have no pairs.
SplitWindow split_at_timestamps(const Decoded& decoded, const Window& window,
                                const models::Vocabulary& vocabulary);

// Speech that is cut out of a recording ends in padding: a rest shorter than this holds none.
inline constexpr std::size_t kShortestRestFrames = 50;
// Where the text was made to go on to the end of the speech (DecodeOptions::speech_end), the same,
// with what the last timestamp may be early by.
inline constexpr std::size_t kShortestForcedRestFrames = 100;

// At the end of a stretch of speech, where no window follows that would begin with what this one
// left over: a rest below 5 s is decoded again together with the segment before it, since a few
// words alone are seldom understood. Not one below `shortest` frames, which holds none.
void join_short_rest(SplitWindow& split, const Window& window, std::size_t shortest);

// A segment without duration or text is emptied: text, tokens and words.
void clear_if_empty(Segment& segment);

}  // namespace wnpu::decoder
