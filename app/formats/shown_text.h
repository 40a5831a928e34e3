// Text on a terminal, whoever wrote it: a model's vocabulary, a file's name. What it may hold, and
// how many columns it takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wnpu::app {

// `text` as valid UTF-8 on one line: whatever moves the cursor or turns the direction of writing
// becomes a question mark.
std::string printable(std::string_view text);
// printable() of several lines: newlines and tabs stay, and marks of direction are left out, since
// Hebrew and Arabic speech has them.
std::string printable_lines(std::string_view text);

// Lines of at most `columns`, unless a word is longer: a newline stands for the space before what
// would not fit. Colour codes (ECMA-48 SGR) take no column. 0 columns: the text as it is.
std::string broken_at_words(std::string_view text, std::size_t columns);

// Columns that printable text takes: two for wide characters, none for combining ones.
std::size_t width_of(std::string_view text);

// As much of the beginning of printable text as fits into `columns`.
std::string_view first_columns(std::string_view text, std::size_t columns);

}  // namespace wnpu::app
