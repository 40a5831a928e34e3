#include "app/formats/text_table.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/formats/shown_text.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kGapColumns = 2;

}  // namespace

std::string text_table(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  std::vector<TextRow> shown = rows;
  for (TextRow& row : shown) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string text;
  for (const TextRow& row : shown) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - width_of(row[i]) + kGapColumns, ' ');
    }
    text += '\n';
  }
  return text;
}

std::string decimal(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace wnpu::app
