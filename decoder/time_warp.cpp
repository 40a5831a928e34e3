#include "decoder/time_warp.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace wnpu::decoder {
namespace {

enum class Step : std::uint8_t { diagonal, down, right };

}  // namespace

void median_filter(std::span<float> x, std::size_t width) {
  const std::size_t half = width / 2;
  if (x.size() <= half) return;
  std::vector<float> padded;
  padded.reserve(x.size() + 2 * half);
  for (std::size_t i = half; i > 0; --i) padded.push_back(x[i]);
  padded.insert(padded.end(), x.begin(), x.end());
  for (std::size_t i = 1; i <= half; ++i) padded.push_back(x[x.size() - 1 - i]);
  std::vector<float> window(width);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(i), width, window.begin());
    const auto middle = window.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(window.begin(), middle, window.end());
    x[i] = *middle;
  }
}

std::vector<PathPoint> warp(models::ConstMatrixView cost) {
  const std::size_t n = cost.rows;
  const std::size_t m = cost.cols;
  // Costs of the best paths to each cell, one column at a time; row 0 is outside the matrix.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> previous(n + 1, kInfinity);
  std::vector<float> current(n + 1, kInfinity);
  previous[0] = 0;
  std::vector<Step> steps(n * m);
  for (std::size_t j = 0; j < m; ++j) {
    current[0] = kInfinity;
    for (std::size_t i = 0; i < n; ++i) {
      const float diagonal = previous[i];
      const float down = current[i];
      const float right = previous[i + 1];
      Step step = Step::right;
      if (diagonal < down && diagonal < right) step = Step::diagonal;
      if (down < diagonal && down < right) step = Step::down;
      steps[i * m + j] = step;
      const float before = step == Step::diagonal ? diagonal : step == Step::down ? down : right;
      current[i + 1] = cost.row(i)[j] + before;
    }
    std::swap(previous, current);
  }
  std::vector<PathPoint> path;
  std::size_t i = n;
  std::size_t j = m;
  while (i > 0 || j > 0) {
    // Along the first row and column there is one way only.
    const Step step = i == 0 ? Step::right : j == 0 ? Step::down : steps[(i - 1) * m + (j - 1)];
    if (i > 0 && j > 0) path.push_back({i - 1, j - 1});
    if (step != Step::right) --i;
    if (step != Step::down) --j;
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace wnpu::decoder
