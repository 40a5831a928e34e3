// From timed words to words in segments: punctuation, overlong words, segment borders. Reference:
// openai/whisper timing.py merge_punctuations and add_word_timestamps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decoder/alignment.h"
#include "decoder/segment.h"

namespace wnpu::decoder {

// Marks that belong to the word after or before them (transcribe.py's defaults).
struct Punctuation {
  std::string prepend = "\"'“¿([{-";
  std::string append = "\"'.。,，!！?？:：”)]}、";
};

// Gives the text of a lone mark to its neighbour and leaves it empty.
void merge_punctuation(std::vector<WordTiming>& words, const Punctuation& marks);

// Where the words of a window go.
struct WordPlacement {
  double window_start = 0;           // seconds
  double last_speech_timestamp = 0;  // end of the last word before the window, seconds
  models::TokenId eot = 0;           // tokens from here on are no text
};

// Deals the window's words out to its segments and moves the segments' borders to their words.
void place_words(std::vector<WordTiming> words, const Punctuation& marks,
                 const WordPlacement& placement, std::span<Segment> segments);

}  // namespace wnpu::decoder
