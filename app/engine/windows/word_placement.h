// Words of a window's segments: when they were said, and what follows for the loop.
#pragma once

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recognizer.h"
#include "decoder/text/segments.h"

namespace wnpu::app {

// A window that was decoded.
struct DecodedWindow {
  DecodeJob job;
  decoder::Window window;
  std::size_t content_frames = 0;   // of the file
  bool wants_probabilities = true;  // of words
};

// transcribe.py get_end: the last word's end, or the last segment's where there are no words; none
// without segments.
std::optional<double> end_of(std::span<const decoder::Segment> segments);

// transcribe.py, `if word_timestamps`: words, then the seek that follows from them, then probable
// hallucinations. `last_speech` is the end of the speech so far, in seconds.
void place_words(Recognizer& recognizer, const TranscribeOptions& options,
                 const DecodedWindow& decoded, decoder::SplitWindow& split, double& last_speech);

// Gives segments their words and changes nothing else of them or of the window.
void time_words(Recognizer& recognizer, const TranscribeOptions& options,
                const DecodedWindow& decoded, decoder::SplitWindow& split, double& last_speech);

}  // namespace wnpu::app
