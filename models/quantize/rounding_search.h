// Rounding of one row of weights: moves quantisation levels up or down as long as the error of the
// product gets smaller (coordinate descent).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"

namespace wnpu::models {

// A value that is rounded: level * step + base.
struct LevelledValue {
  float level = 0;
  float step = 0;  // 0: its level never moves
  float base = 0;

  float value() const { return level * step + base; }
};

// Coordinate descent on the rounding of a row: QuantEase (Behdin et al., 2023).
class RowSearch {
 public:
  // `moments` are those of the product's inputs, [k, k]. Both must outlive it.
  RowSearch(std::span<const float> weights, ConstMatrixView moments);

  // Until it is set, a value is its weight.
  void set(std::size_t column, const LevelledValue& value);

  // Each value but that at `pinned`, once, to the best of the levels from `least` to `most`. False:
  // none has moved.
  struct Range {
    float least;
    float most;
    std::size_t pinned = SIZE_MAX;
  };
  bool sweep(const Range& range);

  const LevelledValue& at(std::size_t column) const { return values_[column]; }
  // Moments times what rounding has changed: half the error's slope at a column.
  std::span<const float> pull() const { return pull_; }
  ConstMatrixView moments() const { return moments_; }
  // Error of the product, squared and summed over the inputs.
  double error() const;

 private:
  std::span<const float> weights_;
  ConstMatrixView moments_;
  std::vector<LevelledValue> values_;
  std::vector<float> pull_;
};

// Second moments [k, k] of a product's inputs.
Matrix second_moments(ThreadPool& pool, ConstMatrixView inputs);

// W [n, k] in int8 with a scale a row, as fp32 again. From the nearest levels on, level by level is
// moved where that brings the product of the inputs that `moments` are of nearer to W's, until none
// is. The largest value of a row keeps its level, 127, so that the row's scale is that of
// stored_values, to which the result is exact. No result depends on the threads.
Matrix round_for_product(ThreadPool& pool, ConstMatrixView weights, ConstMatrixView moments);

}  // namespace wnpu::models
