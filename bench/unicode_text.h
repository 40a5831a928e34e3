// Text as code points, with the character classes of Python's str and re, which openai/whisper's
// normalisers are written in. Data are ICU's (Unicode 15 on Debian 12; Python 3.11 has 14).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::bench {

// Invalid UTF-8 becomes U+FFFD.
std::u32string from_utf8(std::string_view utf8);
std::string to_utf8(std::u32string_view text);

// Full case mapping, as str.lower().
std::u32string lower(std::u32string_view text);

enum class NormalForm { kNfkc, kNfkd };
std::u32string normalize(std::u32string_view text, NormalForm form);

// str.isspace(), which is \s in re.
bool is_space(char32_t c);
// \w in re: letters, numbers, underscore. Marks are not word characters.
bool is_word(char32_t c);
// \d in re: category Nd of any script; its value is decimal_value().
bool is_decimal(char32_t c);
int decimal_value(char32_t c);
bool is_nonspacing_mark(char32_t c);             // category Mn
bool is_mark_symbol_or_punctuation(char32_t c);  // categories M*, S*, P*

// \b in re, at the border before text[at].
bool at_word_boundary(std::u32string_view text, std::size_t at);

// str.split() and " ".join().
std::vector<std::u32string> split_words(std::u32string_view text);
std::u32string join(std::span<const std::u32string> parts);
// Each run of white space becomes one space.
std::u32string collapse_spaces(std::u32string_view text);

// Extended grapheme clusters (UAX 29), which is \X of Python's regex module.
std::vector<std::u32string> graphemes(std::u32string_view text);

}  // namespace wnpu::bench
