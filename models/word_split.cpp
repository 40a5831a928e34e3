#include "models/word_split.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "models/utf8.h"

namespace wnpu::models {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Languages written without spaces (openai/whisper tokenizer.py split_to_word_tokens).
constexpr std::array<std::string_view, 6> kUnspaced = {"zh", "ja", "th", "lo", "my", "yue"};

// Python's string.punctuation.
constexpr std::string_view kPunctuation = R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)";

// What Python's str.strip takes away: str.isspace, in UTF-8.
constexpr std::array<std::string_view, 29> kSpaces = {
    "\t",           "\n",           "\v",           "\f",           "\r",
    "\x1C",         "\x1D",         "\x1E",         "\x1F",         " ",
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
    "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
    "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
    "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

std::string_view strip(std::string_view text) {
  const auto starts = [&text](std::string_view space) { return text.starts_with(space); };
  const auto ends = [&text](std::string_view space) { return text.ends_with(space); };
  for (auto space = kSpaces.begin(); space != kSpaces.end();) {
    space = std::ranges::find_if(kSpaces, starts);
    if (space != kSpaces.end()) text.remove_prefix(space->size());
  }
  for (auto space = kSpaces.begin(); space != kSpaces.end();) {
    space = std::ranges::find_if(kSpaces, ends);
    if (space != kSpaces.end()) text.remove_suffix(space->size());
  }
  return text;
}

// Python indexes by character; bytes other than 10xxxxxx start one.
bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

// Offset of character `index` of `text`; its size where it has fewer.
std::size_t offset_of_character(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    if (!starts_character(text[offset])) continue;
    if (index == 0) break;
    --index;
  }
  return offset;
}

}  // namespace

std::vector<Word> split_on_unicode(const Vocabulary& vocabulary, std::span<const TokenId> tokens) {
  const std::string whole = repair_utf8(vocabulary.decode_with_timestamps(tokens));
  std::vector<Word> words;
  std::vector<TokenId> current;
  std::size_t offset = 0;  // in `whole`, in bytes: where `current` begins
  for (const TokenId token : tokens) {
    current.push_back(token);
    std::string text = repair_utf8(vocabulary.decode_with_timestamps(current));
    const std::size_t bad = text.find(kReplacement);
    // A replacement character is final if the whole text has one at the same place.
    const std::size_t characters = count_characters(std::string_view(text).substr(0, bad));
    const std::string_view rest = std::string_view(whole).substr(offset);
    if (bad != std::string::npos &&
        !rest.substr(offset_of_character(rest, characters)).starts_with(kReplacement)) {
      continue;
    }
    offset += offset_of_character(rest, count_characters(text));
    words.push_back({std::move(text), std::move(current)});
    current.clear();
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
      words.back().text += part.text;
      words.back().tokens.insert(words.back().tokens.end(), part.tokens.begin(), part.tokens.end());
    }
  }
  return words;
}

std::vector<Word> split_to_words(const Vocabulary& vocabulary, std::span<const TokenId> tokens,
                                 std::string_view language_code) {
  const bool is_unspaced = std::ranges::find(kUnspaced, language_code) != kUnspaced.end();
  return is_unspaced ? split_on_unicode(vocabulary, tokens) : split_on_spaces(vocabulary, tokens);
}

}  // namespace wnpu::models
