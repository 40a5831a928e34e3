#include "models/byte_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>

#include "models/gemm.h"
#include "models/quantise.h"

namespace wnpu::models {
namespace {

constexpr float kMaxSigned = 127;

float scale_of_factor(float factor) { return factor > 0 ? 1.0F / factor : 0.0F; }

}  // namespace

ByteRows::ByteRows(std::size_t max_rows, std::size_t max_cols)
    : stride_((max_cols + 3) / 4),
      quads_(allocate_aligned<ByteQuad>(max_rows * stride_)),
      scales_(max_rows),
      offsets_(max_rows) {}

void ByteRows::resize(std::size_t rows, std::size_t cols) {
  assert(rows <= scales_.size() && (cols + 3) / 4 <= stride_);
  n_rows_ = rows;
  n_quads_ = (cols + 3) / 4;
  if (cols % 4 == 0) return;
  for (std::size_t r = 0; r < rows; ++r) quads_[r * stride_ + n_quads_ - 1] = {};
}

void ByteRows::set_row(std::size_t r, std::span<const float> x) {
  const ByteScale scale = byte_scale(x);
  round_to_bytes(x, scale, {quads_[r * stride_].q, x.size()});
  scales_[r] = scale_of_factor(scale.factor);
  offsets_[r] = -static_cast<float>(scale.zero) * scales_[r];
}

void ByteRows::set(ConstMatrixView x) {
  resize(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) set_row(r, x.row(r));
}

void ByteRows::set(ThreadPool& pool, ConstMatrixView x) {
  constexpr std::size_t kBlockRows = 16;
  resize(x.rows, x.cols);
  pool.parallel_for((x.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t i, std::size_t) {
    const std::size_t end = std::min(x.rows, (i + 1) * kBlockRows);
    for (std::size_t r = i * kBlockRows; r < end; ++r) set_row(r, x.row(r));
  });
}

bool ByteRows::set_softmax(const ScoreRows& scores) {
  assert(whole_softmax_groups(scores.cols()) <= 4 * stride_);
  resize(scores.n_rows(), scores.cols());
  bool exact = true;
  for (std::size_t r = 0; r < n_rows_; ++r) {
    const ByteWeights weights = byte_softmax(scores, r, quads_[r * stride_].q);
    scales_[r] = weights.exact ? 1.0F / static_cast<float>(weights.sum)
                               : std::numeric_limits<float>::quiet_NaN();
    offsets_[r] = 0;
    exact = exact && weights.exact;
  }
  return exact;
}

ByteMatrix::ByteMatrix(std::size_t k, std::size_t n)
    : k_(k), n_(n), panel_cols_(gemm_panel_cols()) {
  scales_.resize(n_panels() * panel_cols_);
  sums_.resize(scales_.size());
  data_ = allocate_zeros<std::int8_t>(size_bytes());
}

void ByteMatrix::set_columns(std::size_t first_col, ConstMatrixView b, float factor) {
  assert(b.cols == k_ && first_col + b.rows <= n_);
  std::vector<std::int8_t> bytes(4 * n_quads());
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::size_t col = first_col + r;
    const float to_byte = quantising_factor(b.row(r), kMaxSigned);
    const std::int32_t sum = round_to_bytes(b.row(r), to_byte, bytes);
    scales_[col] = factor * scale_of_factor(to_byte);
    sums_[col] = static_cast<float>(sum);
    std::int8_t* to = data_.get() + col / panel_cols_ * panel_bytes() + 4 * (col % panel_cols_);
    for (std::size_t k = 0; k < bytes.size(); k += 4, to += 4 * panel_cols_)
      std::memcpy(to, &bytes[k], 4);
  }
}

void ByteMatrix::set(ConstMatrixView b) {
  assert(b.rows == k_ && b.cols == n_);
  std::vector<float> largest(n_);
  for (std::size_t r = 0; r < k_; ++r) raise_to_magnitudes(b.row(r), largest);
  std::vector<float> factors(n_);
  for (std::size_t col = 0; col < n_; ++col) {
    factors[col] = quantising_factor({&largest[col], 1}, kMaxSigned);
    scales_[col] = scale_of_factor(factors[col]);
  }
  std::vector<std::int32_t> sums(n_);
  for (std::size_t k = 0; k < k_; k += 4) set_quads(k / 4, b, factors, sums);
  std::ranges::copy(sums, sums_.begin());
}

void ByteMatrix::set_quads(std::size_t quad, ConstMatrixView b, std::span<const float> factors,
                           std::span<std::int32_t> sums) {
  const std::vector<float> zeros(4 * quad + 4 <= k_ ? 0 : n_);
  for (std::size_t col = 0; col < n_; col += panel_cols_) {
    const std::size_t n = std::min(panel_cols_, n_ - col);
    std::array<std::span<const float>, 4> rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t k = 4 * quad + i;
      rows[i] = (k < k_ ? b.row(k) : std::span<const float>(zeros)).subspan(col, n);
    }
    std::int8_t* const to =
        data_.get() + col / panel_cols_ * panel_bytes() + 4 * quad * panel_cols_;
    round_to_quads(rows, factors.subspan(col, n), {to, 4 * n}, sums.subspan(col, n));
  }
}

}  // namespace wnpu::models
