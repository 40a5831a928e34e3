#include "models/text/word_split.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "models/base/utf8.h"
#include "models/text/line_break.h"

namespace wnpu::models {
namespace {

// Python's string.punctuation.
constexpr std::string_view kPunctuation = R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)";

void extend(Word& word, const Word& part) {
  word.text += part.text;
  word.tokens.insert(word.tokens.end(), part.tokens.begin(), part.tokens.end());
}

// As split_on_unicode, but for marks that are tokens of their own.
std::vector<Word> split_unspaced(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  std::vector<Word> words;
  for (Word& part : split_on_unicode(vocabulary, tokens)) {
    if (words.empty() || !begins_with_mark(part.text)) {
      words.push_back(std::move(part));
    } else {
      extend(words.back(), part);
    }
  }
  return words;
}

}  // namespace

std::vector<Word> split_on_unicode(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  const std::string whole = repair_utf8(vocabulary.decode_with_timestamps(tokens));
  std::vector<Word> words;
  std::vector<TokenId> current;
  std::size_t offset = 0;  // in `whole`, in bytes: where `current` begins
  for (const TokenId token : tokens) {
    current.push_back(token);
    const std::string text = repair_utf8(vocabulary.decode_with_timestamps(current));
    const std::size_t bad = text.find(kReplacement);
    // A replacement character is final if the whole text has one at the same place.
    const std::size_t characters = count_characters(std::string_view(text).substr(0, bad));
    const std::string_view rest = std::string_view(whole).substr(offset);
    if (bad != std::string::npos &&
        !rest.substr(first_characters(rest, characters).size()).starts_with(kReplacement)) {
      continue;
    }
    const std::string_view word = first_characters(rest, count_characters(text));
    words.push_back({std::string(word), std::move(current)});
    offset += word.size();
    current.clear();
  }
  // Bytes after a broken character may be part of it: the reference drops their tokens.
  if (current.empty()) return words;
  if (words.empty() || offset < whole.size()) {
    words.push_back({whole.substr(offset), std::move(current)});
  } else {
    words.back().tokens.insert(words.back().tokens.end(), current.begin(), current.end());
  }
  return words;
}

std::vector<Word> split_on_spaces(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  std::vector<Word> words;
  for (Word& part : split_on_unicode(vocabulary, tokens)) {
    const bool is_special = part.tokens.front() >= vocabulary.eot();
    // As in the reference: a run of marks in the order of that list, or nothing but spaces.
    const bool is_punctuation = kPunctuation.find(strip(part.text)) != std::string_view::npos;
    if (is_special || part.text.starts_with(' ') || is_punctuation || words.empty()) {
      words.push_back(std::move(part));
    } else {
      extend(words.back(), part);
    }
  }
  return words;
}

std::vector<Word> split_to_words(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                                 std::string_view language_code) {
  return is_unspaced(language_code) ? split_unspaced(vocabulary, tokens)
                                    : split_on_spaces(vocabulary, tokens);
}

}  // namespace wnpu::models
