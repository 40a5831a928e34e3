#include "models/quantised.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

#include "models/gemm.h"
#include "models/quantise.h"

namespace wnpu::models {
namespace {

constexpr float kMaxInt16 = 32767;
constexpr float kMaxInt8 = 127;
// What int32 holds, a little less, for scales are rounded.
constexpr float kMaxSum = 2147483647.0F * 0.999F;

constexpr std::size_t kMaxPanelCols = 32;  // AVX-512

float left_limit_of(float column_sum) {
  return column_sum == 0 ? kMaxInt16 : std::min(kMaxInt16, std::floor(kMaxSum / column_sum));
}

}  // namespace

float max_weight(IntegerWidth width) { return width == IntegerWidth::int16 ? 8191 : kMaxInt8; }

QuantisedRows::QuantisedRows(std::size_t max_rows, std::size_t max_cols)
    : stride_((max_cols + 1) / 2),
      pairs_(allocate_aligned<LeftPair>(max_rows * stride_)),
      scales_(max_rows) {}

void QuantisedRows::resize(std::size_t rows, std::size_t cols) {
  assert(rows <= scales_.size() && (cols + 1) / 2 <= stride_);
  n_rows_ = rows;
  n_pairs_ = (cols + 1) / 2;
  if (cols % 2 == 0) return;
  for (std::size_t r = 0; r < rows; ++r) pairs_[r * stride_ + n_pairs_ - 1] = {};
}

std::span<std::int16_t> QuantisedRows::integers(std::size_t r) {
  return {&pairs_[r * stride_].even, 2 * n_pairs_};
}

void QuantisedRows::set(ConstMatrixView x, float limit) {
  resize(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) scales_[r] = quantise(x.row(r), limit, integers(r));
}

void QuantisedRows::set_softmax(MatrixView scores, std::span<const float> value_scales,
                                float sum_limit) {
  resize(scores.rows, scores.cols);
  const auto terms = static_cast<float>(std::min(scores.cols, kExactTerms));
  const float room = sum_limit - terms / 2;  // rounding moves each of them by a half at most
  for (std::size_t r = 0; r < scores.rows; ++r) {
    const SoftmaxSums sums = exp_weighted(scores.row(r), value_scales);
    const float largest_sum = std::min(sums.weighted_sum, terms * sums.weighted_max);
    const float factor =
        sums.weighted_max > 0 ? std::min(kMaxInt16 / sums.weighted_max, room / largest_sum) : 0.0F;
    round_scaled(scores.row(r), factor, integers(r));
    scales_[r] = factor > 0 ? 1.0F / (factor * sums.sum) : 0.0F;
  }
}

QuantisedMatrix::QuantisedMatrix(std::size_t k, std::size_t n, IntegerWidth width, ScaleOf scale_of,
                                 float max_value)
    : k_(k),
      n_(n),
      width_(width),
      scale_of_(scale_of),
      max_value_(max_value),
      left_limit_(left_limit_of(static_cast<float>(std::min(k, kExactTerms)) * max_value)),
      panel_cols_(gemm_panel_cols()),
      scales_(scale_of == ScaleOf::column ? n : k) {
  assert(width == IntegerWidth::int16 || max_value <= kMaxInt8);
  data_ = allocate_aligned<std::byte>(size_bytes());
  if (n_ % panel_cols_ != 0)
    std::memset(data_.get() + (n_panels() - 1) * panel_bytes(), 0, panel_bytes());
}

std::size_t QuantisedMatrix::panel_bytes() const {
  return 2 * n_pairs() * panel_cols_ * (width_ == IntegerWidth::int16 ? 2 : 1);
}

float QuantisedMatrix::left_sum_limit() const { return kMaxSum / max_value_; }

template <typename T>
T* QuantisedMatrix::element(std::size_t pair, std::size_t col) const {
  std::byte* const start = data_.get() + col / panel_cols_ * panel_bytes();
  return reinterpret_cast<T*>(start) + 2 * (pair * panel_cols_ + col % panel_cols_);
}

template <typename T>
void QuantisedMatrix::put_column(std::size_t col, std::span<const std::int16_t> q) {
  T* to = element<T>(0, col);
  for (std::size_t i = 0; i < q.size(); i += 2, to += 2 * panel_cols_) {
    to[0] = static_cast<T>(q[i]);
    to[1] = static_cast<T>(q[i + 1]);
  }
}

void QuantisedMatrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k_ && first_col + b.rows <= n_ && scale_of_ == ScaleOf::column);
  std::vector<std::int16_t> q(2 * n_pairs());
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::size_t col = first_col + r;
    scales_[col] = quantise(b.row(r), max_value_, q);
    if (width_ == IntegerWidth::int16) {
      put_column<std::int16_t>(col, q);
    } else {
      put_column<std::int8_t>(col, q);
    }
  }
}

template <typename T>
void QuantisedMatrix::put_row_pair(std::size_t pair, std::span<const std::int16_t> even,
                                   std::span<const std::int16_t> odd) {
  for (std::size_t col = 0; col < n_; col += panel_cols_) {
    T* const to = element<T>(pair, col);
    for (std::size_t i = 0; i < std::min(panel_cols_, n_ - col); ++i) {
      to[2 * i] = static_cast<T>(even[col + i]);
      to[2 * i + 1] = static_cast<T>(odd[col + i]);
    }
  }
}

void QuantisedMatrix::set_rows(std::size_t first_row, ConstMatrixView b) {
  assert(b.cols == n_ && first_row + b.rows <= k_ && scale_of_ == ScaleOf::row);
  assert(first_row % 2 == 0 && (b.rows % 2 == 0 || first_row + b.rows == k_));
  std::vector<std::int16_t> even(n_);
  std::vector<std::int16_t> odd(n_);
  for (std::size_t r = 0; r < b.rows; r += 2) {
    const std::size_t row = first_row + r;
    scales_[row] = quantise(b.row(r), max_value_, even);
    if (r + 1 < b.rows) {
      scales_[row + 1] = quantise(b.row(r + 1), max_value_, odd);
    } else {
      std::ranges::fill(odd, std::int16_t{0});
    }
    if (width_ == IntegerWidth::int16) {
      put_row_pair<std::int16_t>(row / 2, even, odd);
    } else {
      put_row_pair<std::int8_t>(row / 2, even, odd);
    }
  }
}

void QuantisedMatrix::column(std::size_t col, std::span<float> out) const {
  assert(col < n_ && out.size() == k_ && scale_of_ == ScaleOf::column);
  for (std::size_t row = 0; row < k_; ++row) {
    const int q = width_ == IntegerWidth::int16 ? element<std::int16_t>(row / 2, col)[row % 2]
                                                : element<std::int8_t>(row / 2, col)[row % 2];
    out[row] = scales_[col] * static_cast<float>(q);
  }
}

template <typename T>
float QuantisedMatrix::largest_column_sum(std::size_t panel) const {
  std::int32_t largest = 0;
  const T* q = element<T>(0, panel * panel_cols_);
  for (std::size_t first = 0; first < n_pairs(); first += kExactTerms / 2) {
    std::array<std::int32_t, kMaxPanelCols> sums{};
    const std::size_t pairs = std::min(n_pairs() - first, kExactTerms / 2);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      for (std::size_t col = 0; col < panel_cols_; ++col, q += 2)
        sums[col] += std::abs(q[0]) + std::abs(q[1]);
    }
    largest = std::max(largest, *std::ranges::max_element(sums));
  }
  return static_cast<float>(largest);
}

void QuantisedMatrix::widen_left_limit(ThreadPool& pool) {
  std::vector<float> largest(n_panels());
  pool.parallel_for(n_panels(), [&](std::size_t panel, std::size_t) {
    largest[panel] = width_ == IntegerWidth::int16 ? largest_column_sum<std::int16_t>(panel)
                                                   : largest_column_sum<std::int8_t>(panel);
  });
  left_limit_ = left_limit_of(*std::ranges::max_element(largest));
}

}  // namespace wnpu::models
