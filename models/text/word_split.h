// Groups tokens into words, for word timestamps. Reference: openai/whisper tokenizer.py
// split_to_word_tokens.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/text/vocabulary.h"

namespace wnpu::models {

struct Word {
  std::string text;  // valid UTF-8, with its leading space
  std::vector<TokenId> tokens;

  bool operator==(const Word&) const = default;
};

// A word ends wherever the tokens so far decode to whole characters. The words' tokens are
// `tokens`, and their texts are its text, broken characters repaired.
std::vector<Word> split_on_unicode(const Vocabulary& vocabulary, std::span<const TokenId> tokens);
// Words of split_on_unicode, joined up to the next space, punctuation mark or special token.
std::vector<Word> split_on_spaces(const Vocabulary& vocabulary, std::span<const TokenId> tokens);
// The way that fits a language: some are written without spaces. There a mark that is a token of
// its own stays with its character, which openai/whisper cuts from it.
std::vector<Word> split_to_words(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                                 std::string_view language_code);

}  // namespace wnpu::models
