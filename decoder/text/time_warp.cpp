#include "decoder/text/time_warp.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {
namespace {

using models::Matrix;
using models::MatrixView;

constexpr std::size_t kMedianWidth = 7;  // timing.py medfilt_width

// With torch's underflow: normalised over tokens, attention of 1e-40 counts as much as any other,
// and kernels::softmax gives 0 there.
void softmax(std::span<float> x) {
  if (x.empty()) return;
  const float largest = *std::ranges::max_element(x);
  float sum = 0;
  for (float& value : x) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (float& value : x) value /= sum;
}

// Each column less its mean, by its deviation: 0 / 0 where its values are equal. Both are rounded
// to fp32 before use, as in torch.std_mean.
void normalise_columns(MatrixView x) {
  for (std::size_t c = 0; c < x.cols; ++c) {
    double mean = 0;
    double squares = 0;
    double n = 0;
    for (std::size_t r = 0; r < x.rows; ++r) {
      const auto value = static_cast<double>(x.row(r)[c]);
      const double difference = value - mean;
      mean += difference / ++n;
      squares += difference * (value - mean);
    }
    const auto deviation = static_cast<float>(std::sqrt(squares / n));
    for (std::size_t r = 0; r < x.rows; ++r)
      x.row(r)[c] = (x.row(r)[c] - static_cast<float>(mean)) / deviation;
  }
}

// For sorting: std::less is no order where there is NaN.
bool is_less(float a, float b) { return a < b || (!std::isnan(a) && std::isnan(b)); }

enum class Step : std::uint8_t { diagonal, down, right };

// The last step of the best path to each cell, by columns. Comparisons with NaN are false, so that
// beyond it all steps go right.
std::vector<Step> best_steps(models::ConstMatrixView cost) {
  // Costs of the best paths to each cell, one column at a time; row 0 is outside the matrix.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> previous(cost.rows + 1, kInfinity);
  std::vector<float> current(cost.rows + 1, kInfinity);
  previous[0] = 0;
  std::vector<Step> steps;
  steps.reserve(cost.rows * cost.cols);
  for (std::size_t j = 0; j < cost.cols; ++j) {
    current[0] = kInfinity;
    for (std::size_t i = 0; i < cost.rows; ++i) {
      const float diagonal = previous[i];
      const float down = current[i];
      const float right = previous[i + 1];
      Step step = Step::right;
      if (diagonal < down && diagonal < right) step = Step::diagonal;
      if (down < diagonal && down < right) step = Step::down;
      steps.push_back(step);
      const float before = step == Step::diagonal ? diagonal : step == Step::down ? down : right;
      current[i + 1] = cost.row(i)[j] + before;
    }
    std::swap(previous, current);
  }
  return steps;
}

}  // namespace

void median_filter(std::span<float> x, std::size_t width) {
  const std::size_t half = width / 2;
  if (x.size() <= half) return;
  std::vector<float> padded;
  padded.reserve(x.size() + 2 * half);
  for (std::size_t i = half; i > 0; --i) padded.push_back(x[i]);
  padded.insert(padded.end(), x.begin(), x.end());
  for (std::size_t i = 1; i <= half; ++i) padded.push_back(x[x.size() - 1 - i]);
  if (width == 7 && std::ranges::none_of(x, [](float value) { return std::isnan(value); }))
    return kernels::median_of_7(padded, x);
  std::vector<float> window(width);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(i), width, window.begin());
    const auto middle = window.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(window.begin(), middle, window.end(), is_less);
    x[i] = *middle;
  }
}

Matrix attention_cost(std::span<Matrix> scores, std::size_t n_positions) {
  n_positions = std::min(n_positions, scores.front().cols());
  Matrix cost(scores.front().rows(), n_positions);
  for (Matrix& head : scores) {
    const MatrixView weights = head.view().col_range(0, n_positions);
    for (std::size_t r = 0; r < weights.rows; ++r) softmax(weights.row(r));
    normalise_columns(weights);
    for (std::size_t r = 0; r < weights.rows; ++r) {
      median_filter(weights.row(r), kMedianWidth);
      kernels::axpy(1.0F, weights.row(r), cost.row(r));
    }
  }
  for (float& value : cost.flat()) value /= -static_cast<float>(scores.size());
  return cost;
}

std::vector<std::size_t> first_columns(models::ConstMatrixView cost) {
  const std::vector<Step> steps = best_steps(cost);
  // NaN may lead the path out of the matrix: rows not reached begin in column 0, in openai/whisper
  // in a column -1.
  std::vector<std::size_t> first(cost.rows, 0);
  std::size_t row = cost.rows;
  for (std::size_t column = cost.cols; row > 0 && column > 0;) {
    first[row - 1] = column - 1;
    const Step step = steps[(column - 1) * cost.rows + row - 1];
    if (step != Step::right) --row;
    if (step != Step::down) --column;
  }
  return first;
}

}  // namespace wnpu::decoder
