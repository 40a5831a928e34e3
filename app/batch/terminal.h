// Text on a terminal: what it may hold, and how many columns it takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/cli/options.h"

namespace wnpu::app {

// `text` as valid UTF-8 on one line: whatever moves the cursor or turns the direction of writing
// becomes a question mark.
std::string printable(std::string_view text);

// Columns that printable text takes: two for wide characters, none for combining ones.
std::size_t width_of(std::string_view text);

// As much of the beginning of printable text as fits into `columns`.
std::string_view first_columns(std::string_view text, std::size_t columns);

// What a terminal's user has said of colours: variables of the environment, null where not set.
struct ColorVariables {
  const char* term = nullptr;
  const char* no_color = nullptr;        // https://no-color.org: not empty: none
  const char* clicolor_force = nullptr;  // https://bixense.com/clicolors: not 0: in pipes too
};
ColorVariables color_variables_of_process();
// `asked` counts before the variables, and NO_COLOR before CLICOLOR_FORCE.
bool wants_colors(Color asked, bool out_is_terminal, const ColorVariables& variables);

// Of the terminal behind `descriptor`, now; else what COLUMNS says, else 80.
std::size_t terminal_columns(int descriptor);

}  // namespace wnpu::app
