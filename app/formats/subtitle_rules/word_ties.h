// Ties between words: where a line or a cue ends well, and where it does not (Netflix Timed Text
// Style Guide, General Requirements, line treatment). A small list a language.
#pragma once

#include <string_view>

namespace wnpu::app {

// Damage of a line that ends between two words, from none to most; `inside`: in a word.
enum class Break { sentence, clause, phrase, plain, tied, inside };

// Break between two words in valid UTF-8, without white space around them; `language` is a code
// ("en"), or empty: by punctuation alone.
Break break_between(std::string_view word, std::string_view next, std::string_view language);

// Whether the text ends with what ends a sentence, perhaps in quotes or brackets.
bool closes_sentence(std::string_view text);

}  // namespace wnpu::app
