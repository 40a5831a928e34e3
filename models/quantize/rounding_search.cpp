#include "models/quantize/rounding_search.h"

#include <algorithm>
#include <cmath>

#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::models {

RowSearch::RowSearch(std::span<const float> weights, ConstMatrixView moments)
    : weights_(weights), moments_(moments), values_(weights.size()), pull_(weights.size()) {
  for (std::size_t c = 0; c < weights.size(); ++c) values_[c].base = weights[c];
}

void RowSearch::set(std::size_t column, const LevelledValue& value) {
  const float change = value.value() - values_[column].value();
  values_[column] = value;
  if (change != 0) kernels::axpy(change, moments_.row(column), pull_);
}

bool RowSearch::sweep(const Range& range) {
  bool has_moved = false;
  for (std::size_t c = 0; c < values_.size(); ++c) {
    const LevelledValue& value = values_[c];
    const float own = moments_.row(c)[c];
    if (c == range.pinned || value.step == 0 || !(own > 0)) continue;
    const float wanted = value.level - pull_[c] / (own * value.step);
    if (std::isnan(wanted)) continue;  // moments beyond fp32
    const float level = std::clamp(std::nearbyint(wanted), range.least, range.most);
    if (level == value.level) continue;
    kernels::axpy((level - value.level) * value.step, moments_.row(c), pull_);
    values_[c].level = level;
    has_moved = true;
  }
  return has_moved;
}

double RowSearch::error() const {
  double sum = 0;
  for (std::size_t c = 0; c < values_.size(); ++c) {
    sum += double{pull_[c]} * (double{values_[c].value()} - double{weights_[c]});
  }
  return sum;
}

namespace {

constexpr float kMostLevel = 127;
// Damping, a share of the mean moment that is added to each: for inputs that the sample lacks.
constexpr float kDamping = 0.01F;
constexpr int kMostSweeps = 8;

// Levels by the row's largest value, moved from the nearest on; false: there is nothing to round.
bool search_row(std::span<const float> weights, ConstMatrixView moments, std::span<float> out) {
  const auto largest =
      std::ranges::max_element(weights, {}, [](float weight) { return std::abs(weight); });
  const float step = std::abs(*largest) / kMostLevel;
  if (!std::isnormal(step) || !std::isfinite(1 / step)) return false;
  RowSearch search(weights, moments);
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const float level = std::nearbyint(weights[c] / step);
    search.set(c, {std::clamp(level, -kMostLevel, kMostLevel), step});
  }
  const auto pinned = static_cast<std::size_t>(largest - weights.begin());
  for (int i = 0; i < kMostSweeps && search.sweep({-kMostLevel, kMostLevel, pinned}); ++i) {
  }
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = search.at(c).value();
  out[pinned] = *largest;
  return true;
}

}  // namespace

Matrix second_moments(ThreadPool& pool, ConstMatrixView inputs) {
  Matrix transposed = Matrix::uninitialised(inputs.cols, inputs.rows);
  for (std::size_t r = 0; r < inputs.rows; ++r) {
    for (std::size_t c = 0; c < inputs.cols; ++c) transposed.row(c)[r] = inputs.row(r)[c];
  }
  kernels::F32Matrix right(inputs.rows, inputs.cols);
  right.set_columns(0, transposed.view());
  Matrix moments = Matrix::uninitialised(inputs.cols, inputs.cols);
  kernels::gemm(pool, {transposed.view(), right}, moments.view());
  float trace = 0;
  for (std::size_t c = 0; c < inputs.cols; ++c) trace += moments.row(c)[c];
  for (std::size_t c = 0; c < inputs.cols; ++c)
    moments.row(c)[c] += kDamping * trace / static_cast<float>(inputs.cols);
  return moments;
}

Matrix round_for_product(ThreadPool& pool, ConstMatrixView weights, ConstMatrixView moments) {
  Matrix rounded = Matrix::uninitialised(weights.rows, weights.cols);
  pool.parallel_for(weights.rows, [&](std::size_t r, std::size_t /*thread*/) {
    if (!search_row(weights.row(r), moments, rounded.row(r))) {
      std::ranges::copy(weights.row(r), rounded.row(r).begin());
    }
  });
  return rounded;
}

}  // namespace wnpu::models
