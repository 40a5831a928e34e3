// A text that is to be aligned, as words with tokens.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/align/text_match.h"
#include "decoder/text/alignment.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {

// A word with its marks, as word times have them.
struct GivenWord {
  std::size_t segment = 0;                  // of the text
  std::vector<decoder::WordTiming> pieces;  // whose texts together are the word's
  std::string key;                          // as it is compared; empty: marks alone
  bool is_on_new_line = false;              // its leading space stands for the text's newline

  std::string text() const;
};

// Punctuation that goes with its word.
struct Marks {
  std::string_view prepend;
  std::string_view append;
};

// Number of pieces of each word, where the texts of `pieces`, one after the other from the first
// on, make the words'.
std::vector<std::size_t> pieces_of_words(std::span<const decoder::WordTiming> pieces,
                                         std::span<const std::string> words);

// Letters and digits of valid UTF-8 in lower case, full-width forms as ASCII.
std::string match_key(std::string_view text);

// Words of the segments' texts, which are valid UTF-8. White space between words becomes one space.
std::vector<GivenWord> given_words(std::span<const std::string> segments,
                                   const models::Vocabulary& vocabulary, std::string_view language,
                                   const Marks& marks);

}  // namespace wnpu::app
