#include "bench/english_numbers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "bench/number_reader.h"
#include "bench/substitute.h"
#include "bench/unicode_text.h"

// Above each matcher stands the expression of whisper/normalizers/english.py (release 20250625)
// that it is.
namespace wnpu::bench {
namespace {

using Text = std::u32string_view;

constexpr std::array<Text, 3> kAndAHalf = {U"and", U"a", U"half"};
constexpr std::array<Text, 5> kSuffixes = {U"st", U"nd", U"rd", U"th", U"s"};

bool is_ascii_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_ascii_letter(char32_t c) { return c >= U'a' && c <= U'z'; }
bool is_main_currency(char32_t c) { return c == U'€' || c == U'£' || c == U'$'; }

template <typename IsOf>
std::size_t skip(Text text, std::size_t at, IsOf is_of) {
  while (at < text.size() && is_of(text[at])) {
    ++at;
  }
  return at;
}

// \band\s+a\s+half\b: where it ends.
std::optional<std::size_t> match_and_a_half(Text text, std::size_t at) {
  if (!at_word_boundary(text, at)) {
    return std::nullopt;
  }
  for (const Text word : kAndAHalf) {
    const bool is_first = word == kAndAHalf.front();
    const std::size_t start = is_first ? at : skip(text, at, is_space);
    if ((!is_first && start == at) || text.substr(start, word.size()) != word) {
      return std::nullopt;
    }
    at = start + word.size();
  }
  return at_word_boundary(text, at) ? std::optional(at) : std::nullopt;
}

bool is_blank(Text text) { return skip(text, 0, is_space) == text.size(); }

bool ends_in_number(Text segment) {
  const NumberWord* word = find_number_word(split_words(segment).back());
  return word != nullptr && (word->kind == WordKind::kOnes || word->kind == WordKind::kTens ||
                             word->kind == WordKind::kZero || word->kind == WordKind::kMultiplier);
}

// "two and a half" -> "two point five"
std::u32string replace_halves(Text text) {
  std::vector<std::u32string> parts;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto end = match_and_a_half(text, at);
    if (!end) {
      continue;
    }
    const Text segment = text.substr(start, at - start);
    if (!is_blank(segment)) {  // at the start of the text, or repeated, it vanishes
      parts.emplace_back(segment);
      parts.emplace_back(ends_in_number(segment) ? U"point five" : U"and a half");
    }
    start = *end;
    at = *end - 1;
  }
  if (!is_blank(text.substr(start))) {
    parts.emplace_back(text.substr(start));
  }
  return join(parts);
}

// ([a-z])([0-9]) -> "\1 \2", and the same of ([0-9])([a-z])
std::u32string part_letters_from_digits(Text text) {
  std::u32string result;
  for (const char32_t c : text) {
    if (!result.empty() && ((is_ascii_letter(result.back()) && is_ascii_digit(c)) ||
                            (is_ascii_digit(result.back()) && is_ascii_letter(c)))) {
      result.push_back(U' ');
    }
    result.push_back(c);
  }
  return result;
}

// ([0-9])\s+(st|nd|rd|th|s)\b -> "\1\2"
std::optional<Match> match_parted_suffix(Text text, std::size_t at) {
  const std::size_t word = skip(text, at + 1, is_space);
  if (!is_ascii_digit(text[at]) || word == at + 1) {
    return std::nullopt;
  }
  for (const Text suffix : kSuffixes) {
    const std::size_t end = word + suffix.size();
    if (text.substr(word, suffix.size()) == suffix && at_word_boundary(text, end)) {
      return Match{end, text[at] + std::u32string(suffix)};
    }
  }
  return std::nullopt;
}

// [0-9]{1,2}\b
Text match_cents(Text text, std::size_t at) {
  const std::size_t count = std::min<std::size_t>(skip(text, at, is_ascii_digit) - at, 2);
  return at_word_boundary(text, at + count) ? text.substr(at, count) : Text{};
}

// ([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b -> "\1\2.\3", "$2 and ¢7" -> "$2.07"
std::optional<Match> match_amount_and_cents(Text text, std::size_t at) {
  const std::size_t integer_end = skip(text, at + 1, is_ascii_digit);
  if (!is_main_currency(text[at]) || integer_end == at + 1) {
    return std::nullopt;
  }
  for (const Text between : {Text(U" ¢"), Text(U" and ¢")}) {
    if (text.substr(integer_end, between.size()) != between) {
      continue;
    }
    const std::size_t start = integer_end + between.size();
    if (const Text cents = match_cents(text, start); !cents.empty()) {
      std::u32string amount(text.substr(at, integer_end - at));
      amount += cents.size() == 1 ? U".0" : U".";
      return Match{start + cents.size(), amount.append(cents)};
    }
  }
  return std::nullopt;
}

// [€£$]0.([0-9]{1,2})\b -> "¢\1", whose dot is any character but a newline: "$0.07" -> "¢7"
std::optional<Match> match_cents_alone(Text text, std::size_t at) {
  if (!is_main_currency(text[at]) || text.substr(at + 1, 1) != U"0" || at + 2 >= text.size() ||
      text[at + 2] == U'\n') {
    return std::nullopt;
  }
  const Text cents = match_cents(text, at + 3);
  if (cents.empty()) {
    return std::nullopt;
  }
  const bool has_leading_zero = cents.size() == 2 && cents[0] == U'0';
  return Match{at + 3 + cents.size(),
               U"¢" + std::u32string(cents.substr(has_leading_zero ? 1 : 0))};
}

// \b1(s?)\b -> "one\1"
std::optional<Match> match_one(Text text, std::size_t at) {
  if (text[at] != U'1' || !at_word_boundary(text, at)) {
    return std::nullopt;
  }
  const bool is_plural = text.substr(at + 1, 1) == U"s";
  const std::size_t end = at + (is_plural ? 2 : 1);
  if (!at_word_boundary(text, end)) {
    return std::nullopt;
  }
  return Match{end, is_plural ? U"ones" : U"one"};
}

}  // namespace

std::u32string standardize_numbers(std::u32string_view text) {
  const std::u32string parted = part_letters_from_digits(replace_halves(text));
  const std::u32string prepared = substitute(parted, match_parted_suffix);
  std::u32string in_digits = join(NumberReader().read(split_words(prepared)));
  in_digits = substitute(in_digits, match_amount_and_cents);
  in_digits = substitute(in_digits, match_cents_alone);
  return substitute(in_digits, match_one);
}

}  // namespace wnpu::bench
