#include "bench/unicode_text.h"

#include <memory>
#include <stdexcept>
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

namespace wnpu::bench {
namespace {

void check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) {
    throw std::runtime_error(std::string("ICU: ") + what + ": " + u_errorName(status));
  }
}

icu::UnicodeString to_icu(std::u32string_view text) {
  icu::UnicodeString result;
  for (const char32_t c : text) {
    result.append(static_cast<UChar32>(c));
  }
  return result;
}

std::u32string from_icu(const icu::UnicodeString& text) {
  std::u32string result;
  for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    result.push_back(static_cast<char32_t>(text.char32At(i)));
  }
  return result;
}

uint32_t category_mask(char32_t c) { return U_GET_GC_MASK(static_cast<UChar32>(c)); }

}  // namespace

std::u32string from_utf8(std::string_view utf8) {
  return from_icu(icu::UnicodeString::fromUTF8(
      icu::StringPiece(utf8.data(), static_cast<int32_t>(utf8.size()))));
}

std::string to_utf8(std::u32string_view text) {
  std::string result;
  to_icu(text).toUTF8String(result);
  return result;
}

std::u32string lower(std::u32string_view text) {
  return from_icu(to_icu(text).toLower(icu::Locale::getRoot()));
}

std::u32string normalize(std::u32string_view text, NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = form == NormalForm::kNfkc
                                           ? icu::Normalizer2::getNFKCInstance(status)
                                           : icu::Normalizer2::getNFKDInstance(status);
  check(status, "normaliser");
  const icu::UnicodeString result = normalizer->normalize(to_icu(text), status);
  check(status, "normalise");
  return from_icu(result);
}

bool is_space(char32_t c) {
  // Python counts the separators 0x1c..0x1f, which u_isUWhiteSpace leaves out.
  return (c >= 0x1c && c <= 0x1f) || u_isUWhiteSpace(static_cast<UChar32>(c)) != 0;
}

bool is_word(char32_t c) {
  return c == U'_' || (category_mask(c) & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}

bool is_decimal(char32_t c) { return (category_mask(c) & U_GC_ND_MASK) != 0; }

int decimal_value(char32_t c) { return u_charDigitValue(static_cast<UChar32>(c)); }

bool is_nonspacing_mark(char32_t c) { return (category_mask(c) & U_GC_MN_MASK) != 0; }

bool is_mark_symbol_or_punctuation(char32_t c) {
  return (category_mask(c) & (U_GC_M_MASK | U_GC_S_MASK | U_GC_P_MASK)) != 0;
}

bool at_word_boundary(std::u32string_view text, std::size_t at) {
  const bool before = at > 0 && is_word(text[at - 1]);
  const bool after = at < text.size() && is_word(text[at]);
  return before != after;
}

std::vector<std::u32string> split_words(std::u32string_view text) {
  std::vector<std::u32string> words;
  bool in_word = false;
  for (const char32_t c : text) {
    if (is_space(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) {
      words.emplace_back();
    }
    words.back().push_back(c);
    in_word = true;
  }
  return words;
}

std::u32string join(std::span<const std::u32string> parts) {
  std::u32string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      result.push_back(U' ');
    }
    result += parts[i];
  }
  return result;
}

std::u32string collapse_spaces(std::u32string_view text) {
  std::u32string result;
  bool after_space = false;
  for (const char32_t c : text) {
    const bool space = is_space(c);
    if (!space) {
      result.push_back(c);
    } else if (!after_space) {
      result.push_back(U' ');
    }
    after_space = space;
  }
  return result;
}

std::vector<std::u32string> graphemes(std::u32string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  check(status, "grapheme clusters");
  const icu::UnicodeString utf16 = to_icu(text);
  breaks->setText(utf16);
  std::vector<std::u32string> clusters;
  int32_t start = breaks->first();
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    clusters.push_back(from_icu(utf16.tempSubStringBetween(start, end)));
    start = end;
  }
  return clusters;
}

}  // namespace wnpu::bench
