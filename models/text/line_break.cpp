#include "models/text/line_break.h"

#include <string>

#include "models/base/utf8.h"
#include "models/text/pattern.h"

namespace wnpu::models {
namespace {

// Unicode's marks, joiners, the two vowels that its grapheme clusters (UAX 29) count as marks, and
// the tones of skin.
#define WNPU_MARKS R"([\p{M}\x{200C}\x{200D}\x{E33}\x{EB3}\x{1F3FB}-\x{1F3FF}])"
// Scripts without spaces between words, with their punctuation and full-width forms, and pictures.
#define WNPU_UNSPACED                                              \
  R"([\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao})" \
  R"(\p{Myanmar}\x{3000}-\x{303F}\x{30FB}\x{30FC}\x{FE30}-\x{FE4F}\x{FF01}-\x{FF9F}\p{So}])"
// Closing marks, small kana, signs of length and repetition.
#define WNPU_NEVER_FIRST                                                                                \
  R"([\p{Pe}\p{Pf}!%),.:;?\]}…‥、。，．：；？！・～〜ー゛゜ヽヾゝゞ々〻ๆໆ)" \
  R"(ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿ､｡･ｧ-ｰﾞﾟ၊။])"

// Matches in front of what stays with the character behind it.
constexpr std::string_view kMark = "(?=" WNPU_MARKS ")";
constexpr std::string_view kNoBreak =
    R"((?<![\t-\r\x{85}\p{Z}])(?![\t-\r\x{85}\p{Z}])(?:)"
    "(?=" WNPU_MARKS ")|(?<=\\x{200D})|(?=" WNPU_NEVER_FIRST R"()|(?<=[\p{Ps}\p{Pi}])|)"
    "(?<!" WNPU_UNSPACED ")(?!" WNPU_UNSPACED "))";

#undef WNPU_MARKS
#undef WNPU_UNSPACED
#undef WNPU_NEVER_FIRST

std::string_view last_character(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && !begins_character(text[--begin])) {
  }
  return text.substr(begin);
}

}  // namespace

bool begins_with_mark(std::string_view text) {
  static const Pattern kPattern(kMark);
  return kPattern.begins(first_characters(text, 1));
}

bool may_break(std::string_view before, std::string_view after) {
  static const Pattern kPattern(kNoBreak);
  if (before.empty() || after.empty()) return !after.empty();
  const std::string_view last = last_character(before);
  const std::string border = std::string(last) += first_characters(after, 1);
  return kPattern.end_of_match(border, last.size()) == std::string_view::npos;
}

}  // namespace wnpu::models
