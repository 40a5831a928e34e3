// Columns of text for people.
#pragma once

#include <string>
#include <vector>

namespace wnpu::app {

using TextRow = std::vector<std::string>;

// Columns as wide as their widest entry and two spaces between them; a row's last entry as it is.
// At least one row, none with more entries than the first.
std::string text_table(const std::vector<TextRow>& rows);

}  // namespace wnpu::app
