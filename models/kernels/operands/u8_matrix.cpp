#include "models/kernels/operands/u8_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>

#include "models/kernels/operands/quantise.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::kernels {

U8Rows::U8Rows(std::size_t max_rows, std::size_t max_cols) : Rows(max_rows, max_cols) {
  offsets_.resize(max_rows);
}

void U8Rows::set_row(std::size_t r, std::span<const float> x) {
  const ByteScale scale = byte_scale(x);
  round_to_bytes(x, scale, {numbers(r), x.size()});
  scales_[r] = scale_of_factor(scale.factor);
  offsets_[r] = -static_cast<float>(scale.zero) * scales_[r];
}

void U8Rows::set(ConstMatrixView x) {
  resize(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) set_row(r, x.row(r));
}

void U8Rows::set(models::ThreadPool& pool, ConstMatrixView x) {
  resize(x.rows, x.cols);
  for_each_row(pool, [&](std::size_t r) { set_row(r, x.row(r)); });
}

bool U8Rows::set_softmax(const ScoreRows& scores) {
  assert(whole_softmax_groups(scores.cols()) <= 4 * stride_);
  resize(scores.n_rows(), scores.cols());
  bool exact = true;
  for (std::size_t r = 0; r < n_rows_; ++r) {
    const ByteWeights weights = byte_softmax(scores, r, numbers(r));
    scales_[r] = weights.exact ? 1.0F / static_cast<float>(weights.sum)
                               : std::numeric_limits<float>::quiet_NaN();
    offsets_[r] = 0;
    exact = exact && weights.exact;
  }
  return exact;
}

U8Matrix::U8Matrix(std::size_t k, std::size_t n) : PackedB(DataType::u8, k, n) {
  scales_ = of_columns();
  sums_ = of_columns();
}

void U8Matrix::set_columns(std::size_t first_col, ConstMatrixView b, float factor) {
  assert(b.cols == k() && first_col + b.rows <= n());
  std::vector<std::int8_t> bytes(4 * n_steps());
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::size_t col = first_col + r;
    const float to_byte = quantising_factor(b.row(r), byte_limits().right);
    const std::int32_t sum = round_to_bytes(b.row(r), to_byte, bytes);
    scales_[col] = factor * scale_of_factor(to_byte);
    sums_[col] = static_cast<float>(sum);
    std::byte* to = at(0, col);
    for (std::size_t i = 0; i < bytes.size(); i += 4, to += 4 * panel_cols())
      std::memcpy(to, &bytes[i], 4);
  }
}

void U8Matrix::set(ConstMatrixView b) {
  assert(b.rows == k() && b.cols == n());
  std::vector<float> largest(n());
  for (std::size_t r = 0; r < k(); ++r) raise_to_magnitudes(b.row(r), largest);
  std::vector<float> factors(n());
  for (std::size_t col = 0; col < n(); ++col) {
    factors[col] = quantising_factor({&largest[col], 1}, byte_limits().right);
    scales_[col] = scale_of_factor(factors[col]);
  }
  std::vector<std::int32_t> sums(n());
  for (std::size_t quad = 0; quad < n_steps(); ++quad) set_quads(quad, b, factors, sums);
  std::ranges::copy(sums, sums_.begin());
}

void U8Matrix::set_quads(std::size_t quad, ConstMatrixView b, std::span<const float> factors,
                         std::span<std::int32_t> sums) {
  const std::vector<float> zeros(4 * quad + 4 <= k() ? 0 : n());
  for (std::size_t col = 0; col < n(); col += panel_cols()) {
    const std::size_t count = std::min(panel_cols(), n() - col);
    std::array<std::span<const float>, 4> rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = 4 * quad + i;
      rows[i] = (row < k() ? b.row(row) : std::span<const float>(zeros)).subspan(col, count);
    }
    auto* const to = reinterpret_cast<std::int8_t*>(at(quad, col));
    round_to_quads(rows, factors.subspan(col, count), {to, 4 * count}, sums.subspan(col, count));
  }
}

}  // namespace wnpu::kernels
