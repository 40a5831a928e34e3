// The softmax between two products of bytes: scores in 16 bits become weights of 0 to 255.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/base/aligned_memory.h"

namespace wnpu::kernels {

// A score is a power of 2 in steps of 1/128, which makes weights exact to 0.3 %; what 16 bits do
// not hold, beyond 2^-256 and 2^256, is cut off.
constexpr float kScoreSteps = 128;

// Rows of scores; behind the last of a row, the least there is.
class ScoreRows {
 public:
  // Room for this many.
  ScoreRows(std::size_t max_rows, std::size_t max_cols);

  // Sets the number of rows, and every shift to 0.
  void reset(std::size_t rows);
  // Shift that is subtracted from a row's scores before they are rounded, in steps.
  void set_shift(std::size_t row, float shift) { shifts_[row] = shift; }

  // Adds so many steps to the scores of columns first_col, first_col + 1, ..., as far as 16 bits
  // go.
  void raise(std::size_t first_col, float steps);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }
  std::int16_t* row(std::size_t r) { return scores_.get() + r * stride_; }
  const std::int16_t* row(std::size_t r) const { return scores_.get() + r * stride_; }
  std::span<const float> shifts() const { return shifts_; }

 private:
  std::size_t n_rows_ = 0;
  std::size_t cols_;
  std::size_t stride_;
  models::AlignedArray<std::int16_t> scores_;
  std::vector<float> shifts_;
};

// Elements of a row that kernels read and write at once: scores and weights have room for a
// multiple of it.
constexpr std::size_t kSoftmaxGroup = 64;
constexpr std::size_t whole_softmax_groups(std::size_t n) {
  return (n + kSoftmaxGroup - 1) / kSoftmaxGroup * kSoftmaxGroup;
}

// weights = 255 * 2^(score - largest score) of a row of `scores`, half of it where byte_limits()
// has 7 bits, in whole groups. They are rounded with ordered dithering: before rounding down, (p +
// 0.5) / 64 is added, where p is the column's place in its group of 64, its 6 bits reversed. So
// many equal weights below 1 keep their sum. Rounded to the nearest all of them would be 0,
// although together they are half of the attention.
struct ByteWeights {
  std::int32_t sum;  // of the weights
  bool exact;        // whether the largest score is none that may have been cut off
};
ByteWeights byte_softmax(const ScoreRows& scores, std::size_t row, std::uint8_t* weights);

}  // namespace wnpu::kernels
