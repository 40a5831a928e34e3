// From timed words to words in segments: punctuation, overlong words, segment borders. Reference:
// openai/whisper timing.py merge_punctuations and add_word_timestamps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decoder/text/alignment.h"
#include "decoder/text/segment.h"

namespace wnpu::decoder {

// Marks that belong to the word after or before them (transcribe.py's defaults).
struct Punctuation {
  std::string prepend = "\"'“¿([{-";
  std::string append = "\"'.。,，!！?？:：”)]}、";
};

// Gives the text of a lone mark to its neighbour in the same segment and leaves it empty.
void merge_punctuation(std::vector<WordTiming>& words, const Punctuation& marks);

// Times by which a window's words are placed in the file.
struct WordPlacement {
  double window_start = 0;           // seconds
  double last_speech_timestamp = 0;  // end of the last word before the window, seconds
};

// Deals the window's words out to its segments and moves the segments' borders to their words. As
// in openai/whisper, a segment's first and last word may still reach over its times.
void place_words(std::vector<WordTiming> words, const Punctuation& marks,
                 const WordPlacement& placement, std::span<Segment> segments);

// Each segment's times include its words, which openai/whisper does not see to.
void widen_to_words(std::span<Segment> segments);

}  // namespace wnpu::decoder
