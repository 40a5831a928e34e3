#include "bench/text_normalizer.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/contractions.h"
#include "bench/english_numbers.h"
#include "bench/substitute.h"
#include "bench/unicode_text.h"

namespace wnpu::bench {
namespace {

using Text = std::u32string_view;

constexpr std::array<Text, 6> kHesitations = {U"hmm", U"mm", U"mhm", U"mmm", U"uh", U"um"};

bool is_ascii_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

// [<\[][^>\]]*[>\]] -> "": to the next closing bracket, of whichever kind
std::optional<Match> match_brackets(Text text, std::size_t at) {
  const std::size_t end = text.find_first_of(U">]", at + 1);
  const bool opens = text[at] == U'<' || text[at] == U'[';
  return opens && end != Text::npos ? std::optional(Match{end + 1, U""}) : std::nullopt;
}

// \(([^)]+?)\) -> "": not the empty "()"
std::optional<Match> match_parentheses(Text text, std::size_t at) {
  const std::size_t end = text.find(U')', at + 1);
  const bool encloses = text[at] == U'(' && end != Text::npos && end > at + 1;
  return encloses ? std::optional(Match{end + 1, U""}) : std::nullopt;
}

std::u32string remove_enclosed(Text text) {
  return substitute(substitute(text, match_brackets), match_parentheses);
}

// Letters that NFKD does not take apart: ADDITIONAL_DIACRITICS of whisper/normalizers/basic.py.
// Capital thorn becomes lower case there as well.
constexpr std::array<std::pair<char32_t, Text>, 16> kPlainLetters = {{
    {U'œ', U"oe"},
    {U'Œ', U"OE"},
    {U'ø', U"o"},
    {U'Ø', U"O"},
    {U'æ', U"ae"},
    {U'Æ', U"AE"},
    {U'ß', U"ss"},
    {U'ẞ', U"SS"},
    {U'đ', U"d"},
    {U'Đ', U"D"},
    {U'ð', U"d"},
    {U'Ð', U"D"},
    {U'þ', U"th"},
    {U'Þ', U"th"},
    {U'ł', U"l"},
    {U'Ł', U"L"},
}};

Text plain_letters(char32_t c) {
  for (const auto& [letter, plain] : kPlainLetters) {
    if (letter == c) {
      return plain;
    }
  }
  return {};
}

// remove_symbols_and_diacritics: symbols but those in `keep` become spaces, diacritics vanish.
std::u32string remove_symbols_and_diacritics(Text text, Text keep) {
  std::u32string result;
  for (const char32_t c : normalize(text, NormalForm::kNfkd)) {
    if (keep.find(c) != Text::npos) {
      result.push_back(c);
    } else if (const Text plain = plain_letters(c); !plain.empty()) {
      result += plain;
    } else if (!is_nonspacing_mark(c)) {
      result.push_back(is_mark_symbol_or_punctuation(c) ? U' ' : c);
    }
  }
  return result;
}

// remove_symbols: marks, symbols and punctuation become spaces, composed letters stay.
std::u32string remove_symbols(Text text) {
  std::u32string result = normalize(text, NormalForm::kNfkc);
  for (char32_t& c : result) {
    if (is_mark_symbol_or_punctuation(c)) {
      c = U' ';
    }
  }
  return result;
}

// A contraction between its boundaries.
Matcher match_contraction(const Contraction& rule) {
  return [rule](Text text, std::size_t at) -> std::optional<Match> {
    const std::size_t end = at + rule.spoken.size();
    const bool matches =
        text.substr(at, rule.spoken.size()) == rule.spoken &&
        (rule.start == ContractionStart::kAnywhere || at_word_boundary(text, at)) &&
        at_word_boundary(text, end);
    return matches ? std::optional(Match{end, std::u32string(rule.written)}) : std::nullopt;
  };
}

// \s+' -> "'"
std::optional<Match> match_spaces_and_apostrophe(Text text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_space(text[end])) {
    ++end;
  }
  const bool matches = end > at && text.substr(end, 1) == U"'";
  return matches ? std::optional(Match{end + 1, U"'"}) : std::nullopt;
}

// (\d),(\d) -> "\1\2"
std::optional<Match> match_thousands_comma(Text text, std::size_t at) {
  const bool matches = at + 2 < text.size() && is_decimal(text[at]) && text[at + 1] == U',' &&
                       is_decimal(text[at + 2]);
  return matches ? std::optional(Match{at + 3, {text[at], text[at + 2]}}) : std::nullopt;
}

// \.([^0-9]|$) -> " \1"
std::optional<Match> match_full_stop(Text text, std::size_t at) {
  if (text[at] != U'.' || (at + 1 < text.size() && is_ascii_digit(text[at + 1]))) {
    return std::nullopt;
  }
  const Text next = text.substr(at + 1, 1);
  return Match{at + 1 + next.size(), U' ' + std::u32string(next)};
}

// [.$¢€£]([^0-9]) -> " \1"
std::optional<Match> match_lone_symbol(Text text, std::size_t at) {
  const bool matches = Text(U".$¢€£").find(text[at]) != Text::npos && at + 1 < text.size() &&
                       !is_ascii_digit(text[at + 1]);
  return matches ? std::optional(Match{at + 2, {U' ', text[at + 1]}}) : std::nullopt;
}

// ([^0-9])% -> "\1 "
std::optional<Match> match_lone_percent(Text text, std::size_t at) {
  const bool matches = !is_ascii_digit(text[at]) && text.substr(at + 1, 1) == U"%";
  return matches ? std::optional(Match{at + 2, {text[at], U' '}}) : std::nullopt;
}

}  // namespace

std::string normalize_basic(std::string_view utf8, Diacritics diacritics, Letters letters) {
  const std::u32string text = remove_enclosed(lower(from_utf8(utf8)));
  std::u32string clean =
      lower(diacritics == Diacritics::kRemove ? remove_symbols_and_diacritics(text, U"")
                                              : remove_symbols(text));
  if (letters == Letters::kSplit) {
    clean = join(graphemes(clean));
  }
  return to_utf8(collapse_spaces(clean));
}

SpellingMap read_spelling_map(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(path.string() + ": expected a spelling map, found no readable file");
  }
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || json.empty()) {
    throw std::runtime_error(path.string() + ": expected a JSON object of spellings, found " +
                             (json.is_discarded() ? "no valid JSON" : json.type_name()));
  }
  SpellingMap map;
  for (const auto& [british, american] : json.items()) {
    if (!american.is_string()) {
      throw std::runtime_error(path.string() + ": " + british + ": expected a string, found " +
                               american.type_name());
    }
    map.emplace(british, american.get<std::string>());
  }
  return map;
}

std::filesystem::path default_spelling_map_path() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base =
      cache != nullptr && *cache != '\0'
          ? std::filesystem::path(cache)
          : std::filesystem::path(home != nullptr ? home : "") / ".cache";
  return base / "whisper-npu/normalizer/english.json";
}

EnglishNormalizer::EnglishNormalizer(SpellingMap spellings)
    : spellings_(std::move(spellings)), missing_parts_() {}

EnglishNormalizer EnglishNormalizer::with_spelling_map_at(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) {
    return EnglishNormalizer(read_spelling_map(path));
  }
  EnglishNormalizer without;
  without.missing_parts_ =
      "spelling map missing: no " + path.string() + "; bench/fetch_spelling_map.sh fetches it";
  return without;
}

std::string EnglishNormalizer::operator()(std::string_view utf8) const {
  std::u32string text = remove_enclosed(lower(from_utf8(utf8)));
  for (const Text hesitation : kHesitations) {
    text = substitute(text, match_contraction({hesitation, U""}));
  }
  text = substitute(text, match_spaces_and_apostrophe);
  for (const Contraction& rule : contractions()) {
    text = substitute(text, match_contraction(rule));
  }
  text = substitute(text, match_thousands_comma);
  text = substitute(text, match_full_stop);
  text = standardize_numbers(remove_symbols_and_diacritics(text, U".%$¢€£"));

  std::vector<std::u32string> words = split_words(text);
  for (std::u32string& word : words) {
    if (const auto found = spellings_.find(to_utf8(word)); found != spellings_.end()) {
      word = from_utf8(found->second);
    }
  }
  text = substitute(join(words), match_lone_symbol);
  text = substitute(text, match_lone_percent);
  return to_utf8(collapse_spaces(text));
}

}  // namespace wnpu::bench
