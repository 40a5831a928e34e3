// The terminal: whether it has colours, and how many columns.
#pragma once

#include <cstddef>

#include "app/options/options.h"

namespace wnpu::app {

// Environment variables in which a terminal's user asks for colours, or none; null if not set.
struct ColorVariables {
  const char* term = nullptr;
  const char* no_color = nullptr;        // https://no-color.org: not empty: none
  const char* clicolor_force = nullptr;  // https://bixense.com/clicolors: not 0: in pipes too
};
ColorVariables color_variables_of_process();
// `asked` counts before the variables, and NO_COLOR before CLICOLOR_FORCE.
bool wants_colors(Color asked, bool out_is_terminal, const ColorVariables& variables);

// Width of the terminal behind `descriptor`, now; else what COLUMNS says, else 80.
std::size_t terminal_columns(int descriptor);

}  // namespace wnpu::app
