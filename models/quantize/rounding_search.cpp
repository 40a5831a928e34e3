// Coordinate descent on the rounding of a row: QuantEase (Behdin et al., 2023).
#include "models/quantize/rounding_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::models {
namespace {

constexpr float kMostLevel = 127;
// Of the mean moment, added to each: what inputs beyond the sample may be.
constexpr float kDamping = 0.01F;
constexpr int kMostSweeps = 8;

// One row: levels that are moved, and how far the product is from what it should be.
class RowSearch {
 public:
  RowSearch(std::span<const float> weights, ConstMatrixView moments)
      : weights_(weights), moments_(moments), levels_(weights.size()), pull_(weights.size()) {
    for (std::size_t c = 0; c < weights.size(); ++c) {
      if (std::abs(weights[c]) > std::abs(weights[largest_])) largest_ = c;
    }
    step_ = std::abs(weights[largest_]) / kMostLevel;
  }

  // False: there is nothing to round.
  bool start() {
    if (!std::isnormal(step_) || !std::isfinite(1 / step_)) return false;
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      levels_[c] = std::clamp(std::nearbyint(weights_[c] / step_), -kMostLevel, kMostLevel);
      kernels::axpy(levels_[c] * step_ - weights_[c], moments_.row(c), pull_);
    }
    return true;
  }

  // False: no level has moved.
  bool sweep() {
    bool moved = false;
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      const float own = moments_.row(c)[c];
      if (c == largest_ || !(own > 0)) continue;
      const float wanted = levels_[c] - pull_[c] / (own * step_);
      const float level = std::clamp(std::nearbyint(wanted), -kMostLevel, kMostLevel);
      if (level == levels_[c]) continue;
      kernels::axpy((level - levels_[c]) * step_, moments_.row(c), pull_);
      levels_[c] = level;
      moved = true;
    }
    return moved;
  }

  void write(std::span<float> out) const {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = levels_[c] * step_;
    out[largest_] = weights_[largest_];
  }

 private:
  std::span<const float> weights_;
  ConstMatrixView moments_;
  std::vector<float> levels_;
  std::vector<float> pull_;  // moments times what rounding has changed
  std::size_t largest_ = 0;
  float step_ = 0;
};

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
    RowSearch search(weights.row(r), moments);
    if (!search.start()) {
      std::ranges::copy(weights.row(r), rounded.row(r).begin());
      return;
    }
    for (int i = 0; i < kMostSweeps && search.sweep(); ++i) {
    }
    search.write(rounded.row(r));
  });
  return rounded;
}

}  // namespace wnpu::models
