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

float scale_of_factor(float factor) { return factor > 0 ? 1.0F / factor : 0.0F; }

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

void QuantisedRows::set_row(std::size_t r, std::span<const float> x, float limit) {
  const float factor = quantising_factor(x, limit);
  round_scaled(x, factor, integers(r));
  scales_[r] = scale_of_factor(factor);
}

void QuantisedRows::set(ConstMatrixView x, float limit) {
  resize(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) set_row(r, x.row(r), limit);
}

void QuantisedRows::set(ThreadPool& pool, ConstMatrixView x, float limit) {
  constexpr std::size_t kBlockRows = 16;
  resize(x.rows, x.cols);
  pool.parallel_for((x.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t i, std::size_t) {
    const std::size_t end = std::min(x.rows, (i + 1) * kBlockRows);
    for (std::size_t r = i * kBlockRows; r < end; ++r) set_row(r, x.row(r), limit);
  });
}

void QuantisedRows::set_softmax(MatrixView scores, std::span<RunningSoftmax> softmax,
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
    round_scaled(scores.row(r), factor, integers(r));
    scales_[r] = scale_of_factor(factor);
  }
}

QuantisedMatrix::QuantisedMatrix(std::size_t k, std::size_t n, const IntegersOf& integers,
                                 SharedBlock* block)
    : k_(k),
      n_(n),
      width_(integers.width),
      scale_of_(integers.scale_of),
      max_value_(integers.max_value),
      left_limit_(left_limit_of(static_cast<float>(std::min(k, kExactTerms)) * max_value_)),
      panel_cols_(gemm_panel_cols()),
      scales_(scale_of_ == ScaleOf::column ? n : k),
      column_sums_(scale_of_ == ScaleOf::column ? n : 0) {
  assert(width_ == IntegerWidth::int16 || max_value_ <= kMaxInt8);
  data_ = allocate_in(block, size_bytes());
  if (block == nullptr && n_ % panel_cols_ != 0)
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
float QuantisedMatrix::put_column(std::size_t col, std::span<const float> x, float factor) {
  std::array<std::int16_t, kExactTerms> q;
  std::int32_t largest_sum = 0;
  for (std::size_t first = 0; first < x.size(); first += q.size()) {
    const std::size_t n = std::min(q.size(), x.size() - first);
    round_scaled(x.subspan(first, n), factor, q);
    largest_sum = std::max(largest_sum, sum_of_magnitudes(std::span(q).first(n)));
    if (n % 2 == 1) q[n] = 0;
    T* to = element<T>(first / 2, col);
    for (std::size_t i = 0; i < n; i += 2, to += 2 * panel_cols_) {
      to[0] = static_cast<T>(q[i]);
      to[1] = static_cast<T>(q[i + 1]);
    }
  }
  return static_cast<float>(largest_sum);
}

void QuantisedMatrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k_ && first_col + b.rows <= n_ && scale_of_ == ScaleOf::column);
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::size_t col = first_col + r;
    const float factor = quantising_factor(b.row(r), max_value_);
    scales_[col] = scale_of_factor(factor);
    column_sums_[col] = width_ == IntegerWidth::int16
                            ? put_column<std::int16_t>(col, b.row(r), factor)
                            : put_column<std::int8_t>(col, b.row(r), factor);
  }
}

template <typename T>
void QuantisedMatrix::put_row_pair(std::size_t pair, std::array<ScaledRow, 2> rows) {
  std::array<std::array<std::int16_t, kMaxPanelCols>, 2> q{};
  for (std::size_t col = 0; col < n_; col += panel_cols_) {
    const std::size_t n = std::min(panel_cols_, n_ - col);
    for (std::size_t i = 0; i < 2; ++i) {
      if (!rows[i].x.empty()) round_scaled(rows[i].x.subspan(col, n), rows[i].factor, q[i]);
    }
    T* const to = element<T>(pair, col);
    for (std::size_t i = 0; i < n; ++i) {
      to[2 * i] = static_cast<T>(q[0][i]);
      to[2 * i + 1] = static_cast<T>(q[1][i]);
    }
  }
}

void QuantisedMatrix::set_rows(std::size_t first_row, ConstMatrixView b) {
  assert(b.cols == n_ && first_row + b.rows <= k_ && scale_of_ == ScaleOf::row);
  assert(first_row % 2 == 0 && (b.rows % 2 == 0 || first_row + b.rows == k_));
  for (std::size_t r = 0; r < b.rows; r += 2) {
    std::array<ScaledRow, 2> rows;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, b.rows - r); ++i) {
      rows[i] = {b.row(r + i), quantising_factor(b.row(r + i), max_value_)};
      scales_[first_row + r + i] = scale_of_factor(rows[i].factor);
    }
    if (width_ == IntegerWidth::int16) {
      put_row_pair<std::int16_t>((first_row + r) / 2, rows);
    } else {
      put_row_pair<std::int8_t>((first_row + r) / 2, rows);
    }
  }
}

void QuantisedMatrix::widen_left_limit() {
  left_limit_ = left_limit_of(*std::ranges::max_element(column_sums_));
}

}  // namespace wnpu::models
