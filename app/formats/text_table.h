// Columns of text for people.
#pragma once

#include <string>
#include <vector>

namespace wnpu::app {

using TextRow = std::vector<std::string>;

// Columns as wide as their widest entry and two spaces between them; a row's last entry as it is.
// At least one row, none with more entries than the first.
std::string text_table(const std::vector<TextRow>& rows);

// A number as printf's format has it: decimal("%.1f s", 2) is "2.0 s".
std::string decimal(const char* format, double value);

}  // namespace wnpu::app
