#include "bench/core/text_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/formats/shown_text.h"

namespace wnpu::bench {
namespace {

// UTF-8: all bytes of a character but its first are 10xxxxxx.
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool is_number(const std::string& cell) {
  return cell.empty() || cell.find_first_of("0123456789-+<") == 0;
}

// Three figures and the unit.
std::string three_figures(double value, const char* unit) {
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fixed(value, digits) + " " + unit;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void TextTable::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  for (std::string& cell : row) cell = app::printable(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  const std::size_t n_columns = rows_.front().size();
  std::vector<std::size_t> widths(n_columns, 0);
  std::vector<bool> to_the_right(n_columns, true);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < n_columns; ++c) {
      widths[c] = std::max(widths[c], app::width_of(rows_[r][c]));
      if (r > 0 && !is_number(rows_[r][c])) to_the_right[c] = false;
    }
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < n_columns; ++c) {
      const std::string space(widths[c] - app::width_of(rows_[r][c]), ' ');
      line += (c > 0 ? "  " : "") + (to_the_right[c] ? space + rows_[r][c] : rows_[r][c] + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < n_columns; ++c) {
      text += (c > 0 ? "  " : "") + std::string(widths[c], '-');
    }
    text += "\n";
  }
  return text;
}

std::string first_characters(const std::string& text, std::size_t n) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\n"), text.size());
  std::string stripped = text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
  if (stripped.size() <= n) return stripped;
  std::size_t end = n;
  while (end > 0 && is_continuation(stripped[end])) --end;
  return stripped.substr(0, end) + " ...";
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string human_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 1) return three_figures(seconds, "s");
  if (size >= 1e-3) return three_figures(seconds * 1e3, "ms");
  return three_figures(seconds * 1e6, "us");
}

std::string human_bytes(double bytes) {
  return bytes >= 1e9 ? three_figures(bytes * 1e-9, "GB") : three_figures(bytes * 1e-6, "MB");
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

}  // namespace wnpu::bench
