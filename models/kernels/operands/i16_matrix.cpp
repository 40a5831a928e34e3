#include "models/kernels/operands/i16_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "models/kernels/operands/quantise.h"

namespace wnpu::kernels {
namespace {

constexpr float kMaxInt16 = 32767;
// Largest int32, less a margin for the rounding of scales.
constexpr float kMaxSum = 2147483647.0F * 0.999F;

float left_limit_of(float column_sum) {
  return column_sum == 0 ? kMaxInt16 : std::min(kMaxInt16, std::floor(kMaxSum / column_sum));
}

}  // namespace

float max_weight(DataType number) { return number == DataType::i16 ? 8191 : kMaxInt8; }

void I16Rows::round_row(std::size_t r, std::span<const float> x, float factor) {
  round_scaled(x, factor, {numbers(r), 2 * n_steps_});
  scales_[r] = scale_of_factor(factor);
}

void I16Rows::set_row(std::size_t r, std::span<const float> x, float limit) {
  round_row(r, x, quantising_factor(x, limit));
}

void I16Rows::set(ConstMatrixView x, float limit) {
  resize(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) set_row(r, x.row(r), limit);
}

void I16Rows::set(models::ThreadPool& pool, ConstMatrixView x, float limit) {
  resize(x.rows, x.cols);
  for_each_row(pool, [&](std::size_t r) { set_row(r, x.row(r), limit); });
}

void I16Rows::set_alike(ConstMatrixView x, float limit) {
  resize(x.rows, x.cols);
  float factor = 0;  // the least that is none of a row of zeros
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float of_row = quantising_factor(x.row(r), limit);
    if (factor == 0 || (of_row > 0 && of_row < factor)) factor = of_row;
  }
  for (std::size_t r = 0; r < x.rows; ++r) round_row(r, x.row(r), factor);
}

void I16Rows::set_softmax(MatrixView scores, std::span<RunningSoftmax> softmax,
                          std::span<const float> value_scales, float sum_limit) {
  assert(softmax.size() == scores.rows);
  resize(scores.rows, scores.cols);
  const auto terms = static_cast<float>(std::min(scores.cols, kExactTerms));
  const float room = sum_limit - terms / 2;  // rounding moves each of them by a half at most
  for (std::size_t r = 0; r < scores.rows; ++r) {
    const SoftmaxSums sums = exp_weighted(scores.row(r), softmax[r].max, value_scales);
    softmax[r].sum += sums.sum;
    const float largest_sum = std::min(sums.weighted_sum, terms * sums.weighted_max);
    const float factor =
        sums.weighted_max > 0 ? std::min(kMaxInt16 / sums.weighted_max, room / largest_sum) : 0.0F;
    round_row(r, scores.row(r), factor);
  }
}

I16Matrix::I16Matrix(std::size_t k, std::size_t n, const IntegersOf& integers,
                     models::SharedBlock* block)
    : PackedB(integers.number, k, n, block), max_value_(integers.max_value) {
  assert(number() == DataType::i16 || (number() == DataType::i8 && max_value_ <= kMaxInt8));
  left_limit_ = left_limit_of(static_cast<float>(std::min(k, kExactTerms)) * max_value_);
  if (integers.scale_of == ScaleOf::row) {
    row_scales_.resize(k);
  } else {
    scales_ = of_columns();
    column_sums_.resize(n);
  }
}

float I16Matrix::left_sum_limit() const { return kMaxSum / max_value_; }

template <typename T>
float I16Matrix::put_column(std::size_t col, std::span<const float> x, float factor) {
  std::array<std::int16_t, kExactTerms> q;
  std::int32_t largest_sum = 0;
  for (std::size_t first = 0; first < x.size(); first += q.size()) {
    const std::size_t n = std::min(q.size(), x.size() - first);
    round_scaled(x.subspan(first, n), factor, q);
    largest_sum = std::max(largest_sum, sum_of_magnitudes(std::span(q).first(n)));
    if (n % 2 == 1) q[n] = 0;
    T* to = element<T>(first / 2, col);
    for (std::size_t i = 0; i < n; i += 2, to += 2 * panel_cols()) {
      to[0] = static_cast<T>(q[i]);
      to[1] = static_cast<T>(q[i + 1]);
    }
  }
  return static_cast<float>(largest_sum);
}

void I16Matrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k() && first_col + b.rows <= n() && !scales_.empty());
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::size_t col = first_col + r;
    const float factor = quantising_factor(b.row(r), max_value_);
    scales_[col] = scale_of_factor(factor);
    column_sums_[col] = number() == DataType::i16 ? put_column<std::int16_t>(col, b.row(r), factor)
                                                  : put_column<std::int8_t>(col, b.row(r), factor);
  }
}

template <typename T>
void I16Matrix::put_row_pair(std::size_t pair, std::array<ScaledRow, 2> rows) {
  std::array<std::array<std::int16_t, kMostPanelCols>, 2> q{};
  for (std::size_t col = 0; col < n(); col += panel_cols()) {
    const std::size_t count = std::min(panel_cols(), n() - col);
    for (std::size_t i = 0; i < 2; ++i) {
      if (!rows[i].x.empty()) round_scaled(rows[i].x.subspan(col, count), rows[i].factor, q[i]);
    }
    T* const to = element<T>(pair, col);
    for (std::size_t i = 0; i < count; ++i) {
      to[2 * i] = static_cast<T>(q[0][i]);
      to[2 * i + 1] = static_cast<T>(q[1][i]);
    }
  }
}

void I16Matrix::set_rows(std::size_t first_row, ConstMatrixView b) {
  assert(b.cols == n() && first_row + b.rows <= k() && !row_scales_.empty());
  assert(first_row % 2 == 0 && (b.rows % 2 == 0 || first_row + b.rows == k()));
  for (std::size_t r = 0; r < b.rows; r += 2) {
    std::array<ScaledRow, 2> rows;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, b.rows - r); ++i) {
      rows[i] = {b.row(r + i), quantising_factor(b.row(r + i), max_value_)};
      row_scales_[first_row + r + i] = scale_of_factor(rows[i].factor);
    }
    if (number() == DataType::i16) {
      put_row_pair<std::int16_t>((first_row + r) / 2, rows);
    } else {
      put_row_pair<std::int8_t>((first_row + r) / 2, rows);
    }
  }
}

void I16Matrix::widen_left_limit() {
  left_limit_ = left_limit_of(*std::ranges::max_element(column_sums_));
}

}  // namespace wnpu::kernels
