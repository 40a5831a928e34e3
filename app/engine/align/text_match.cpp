#include "app/engine/align/text_match.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace wnpu::app {
namespace {

using Atoms = std::span<const Atom>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr int kNever = std::numeric_limits<int>::min() / 2;
constexpr std::size_t kMostCells = std::size_t{1} << 24U;

// Best score of two prefixes whose end is a match, or a gap.
struct Cell {
  int match = kNever;
  int gap = kNever;

  int best() const { return std::max(match, gap); }
};

// Source of a cell's scores.
enum From : std::uint8_t { kAbove = 1, kMatchBefore = 2, kDiagonalMatch = 4 };

// The cell of (i, j) from its neighbours; `from`: how.
Cell next_cell(const Cell& above, const Cell& left, const Cell& diagonal, int weight,
               std::uint8_t& from) {
  const int by_above = std::max(above.gap, above.match - kGapCost);
  const int by_left = std::max(left.gap, left.match - kGapCost);
  const Cell& source = by_above >= by_left ? above : left;
  from = by_above >= by_left ? kAbove : 0;
  if (source.match - kGapCost > source.gap) from |= kMatchBefore;
  Cell cell{kNever, std::max(by_above, by_left)};
  if (weight > 0) {
    cell.match = weight + diagonal.best();
    if (diagonal.match >= diagonal.gap) from |= kDiagonalMatch;
  }
  return cell;
}

int weight_of(const Atom& a, const Atom& b) {
  return a.key == b.key ? static_cast<int>(a.weight) : 0;
}

// The last row of all cells; from_of(i, j) is given how each came about.
template <typename Keep>
std::vector<Cell> last_row(Atoms a, Atoms b, const Keep& keep) {
  std::vector<Cell> row(b.size() + 1, Cell{kNever, 0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    Cell diagonal = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::uint8_t from = 0;
      const Cell cell =
          next_cell(row[j], row[j - 1], diagonal, weight_of(a[i - 1], b[j - 1]), from);
      diagonal = row[j];
      row[j] = cell;
      keep(i, j, from);
    }
  }
  return row;
}

// Appends the matches of a and b, whose places begin at `at`.
void match_small(Atoms a, Atoms b, std::pair<std::size_t, std::size_t> at, Pairs& pairs) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint8_t> from((a.size() + 1) * width);
  const std::vector<Cell> row = last_row(
      a, b, [&](std::size_t i, std::size_t j, std::uint8_t how) { from[i * width + j] = how; });
  const std::size_t n_before = pairs.size();
  bool is_match = row.back().match > row.back().gap;
  for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
    const std::uint8_t how = from[i * width + j];
    if (is_match) {
      pairs.emplace_back(at.first + --i, at.second + --j);
      is_match = (how & kDiagonalMatch) != 0;
    } else {
      ((how & kAbove) != 0 ? i : j) -= 1;
      is_match = (how & kMatchBefore) != 0;
    }
  }
  std::reverse(pairs.begin() + static_cast<std::ptrdiff_t>(n_before), pairs.end());
}

// Cut of b: what is before it belongs to the first half of a.
std::size_t cut_of(Atoms first, Atoms second, Atoms b) {
  const auto forget = [](std::size_t, std::size_t, std::uint8_t) {};
  const std::vector<Atom> second_back(second.rbegin(), second.rend());
  const std::vector<Atom> b_back(b.rbegin(), b.rend());
  const std::vector<Cell> ahead = last_row(first, b, forget);
  const std::vector<Cell> back = last_row(second_back, b_back, forget);
  std::size_t cut = 0;
  int best = kNever;
  for (std::size_t j = 0; j <= b.size(); ++j) {
    const Cell& before = ahead[j];
    const Cell& behind = back[b.size() - j];
    // A gap across the cut was paid for on both sides.
    const int score = std::max(before.best() + behind.best(), before.gap + behind.gap + kGapCost);
    if (score > best) cut = j;
    best = std::max(best, score);
  }
  return cut;
}

void match_all(Atoms a, Atoms b, std::pair<std::size_t, std::size_t> at, Pairs& pairs) {
  if (a.empty() || b.empty()) return;
  if (a.size() < 2 || (a.size() + 1) * (b.size() + 1) <= kMostCells)
    return match_small(a, b, at, pairs);
  const std::size_t middle = a.size() / 2;
  const std::size_t cut = cut_of(a.first(middle), a.subspan(middle), b);
  match_all(a.first(middle), b.first(cut), at, pairs);
  match_all(a.subspan(middle), b.subspan(cut), {at.first + middle, at.second + cut}, pairs);
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> match_atoms(Atoms a, Atoms b) {
  Pairs pairs;
  match_all(a, b, {0, 0}, pairs);
  return pairs;
}

double similarity(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() == b.size() ? 1 : 0;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, other}));
    }
  }
  return 1 - static_cast<double>(row.back()) / static_cast<double>(std::max(a.size(), b.size()));
}

}  // namespace wnpu::app
