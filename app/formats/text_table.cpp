#include "app/formats/text_table.h"

#include <algorithm>

namespace wnpu::app {
namespace {

constexpr std::size_t kGapColumns = 2;

}  // namespace

std::string text_table(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - row[i].size() + kGapColumns, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace wnpu::app
