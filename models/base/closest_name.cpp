#include "models/base/closest_name.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace wnpu::models {

// Row i of the table has the typos between the first i letters of `a` and the beginnings of `b`.
std::size_t n_typos(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;  // this one, the last, the one before
  for (auto& row : rows) row.resize(b.size() + 1);
  auto& [row, last, before] = rows;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string closest_name(std::string_view word, std::span<const std::string> names) {
  std::string closest;
  std::size_t fewest = word.size() / 3 + 1;
  for (const std::string& name : names) {
    const std::size_t n = n_typos(word, name);
    if (n >= fewest) continue;
    fewest = n;
    closest = name;
  }
  return closest;
}

std::string suggestion(std::string_view word, std::span<const std::string> names) {
  std::string text = closest_name(word, names);
  if (!text.empty()) text = "; did you mean " + text + "?";
  return text;
}

}  // namespace wnpu::models
