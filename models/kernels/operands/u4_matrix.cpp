#include "models/kernels/operands/u4_matrix.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "models/kernels/operands/quantise.h"

namespace wnpu::kernels {
namespace {

constexpr float kMiddle = 7.5F;  // of 0 to 15

}  // namespace

U4Matrix::U4Matrix(U4Basis basis, std::size_t n)
    : PackedB(DataType::u4, basis.centre.size(), n), basis_(std::move(basis)) {
  assert(basis_.balance.size() == k());
  scales_ = of_columns();
}

U4Matrix::U4Matrix(U4Basis basis, PackedB packed)
    : PackedB(std::move(packed)), basis_(std::move(basis)) {
  assert(number() == DataType::u4 && basis_.centre.size() == k() && basis_.balance.size() == k());
}

void U4Matrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k() && first_col + b.rows <= n());
  std::vector<float> values(k());
  std::vector<std::int8_t> q(8 * n_steps());
  for (std::size_t r = 0; r < b.rows; ++r) {
    balance(b.row(r), basis_.centre, basis_.balance, values);
    const float factor = quantising_factor(values, kMiddle);
    const float scale = scale_of_factor(factor);
    // u = q + 8, so that u - 7.5 = q + 0.5.
    round_to_bytes(values, 0.5F * scale, factor, q);
    scales_[first_col + r] = scale;
    put_column(first_col + r, q);
  }
}

void U4Matrix::put_column(std::size_t col, std::span<const std::int8_t> q) {
  std::byte* to = at(0, col);
  for (std::size_t i = 0; i < q.size(); i += 8, to += 4 * panel_cols()) {
    std::uint64_t octet = 0;
    std::memcpy(&octet, &q[i], sizeof octet);
    octet = (octet & 0x0F0F0F0F0F0F0F0F) ^ 0x0808080808080808;  // u = q + 8, byte by byte
    const auto nibbles = static_cast<std::uint32_t>(octet | octet >> 28U);
    std::memcpy(to, &nibbles, sizeof nibbles);
  }
}

U4Rows::U4Rows(std::size_t max_rows, std::size_t max_cols)
    : Rows(max_rows, max_cols), balanced_(max_cols) {
  offsets_.resize(max_rows);
  bases_.resize(max_rows);
}

void U4Rows::set(ConstMatrixView x, const U4Basis& basis) {
  assert(x.cols == balanced_.size() && x.cols == basis.centre.size());
  resize(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    std::ranges::transform(x.row(r), basis.balance, balanced_.begin(), std::divides{});
    const float factor = quantising_factor(balanced_, kMaxInt8);
    const std::int32_t sum = round_to_bytes(balanced_, factor, {numbers(r), x.cols});
    scales_[r] = scale_of_factor(factor);
    offsets_[r] = -kMiddle * scales_[r] * static_cast<float>(sum);
    bases_[r] = std::inner_product(x.row(r).begin(), x.row(r).end(), basis.centre.begin(), 0.0F);
  }
}

}  // namespace wnpu::kernels
