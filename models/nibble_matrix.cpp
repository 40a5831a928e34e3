#include "models/nibble_matrix.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "models/gemm.h"
#include "models/quantise.h"

namespace wnpu::models {
namespace {

constexpr float kMiddle = 7.5F;  // of 0 to 15
constexpr float kMaxSigned = 127;

float scale_of_factor(float factor) { return factor > 0 ? 1.0F / factor : 0.0F; }

}  // namespace

NibbleMatrix::NibbleMatrix(NibbleBasis basis, std::size_t n)
    : basis_(std::move(basis)), n_(n), panel_cols_(gemm_panel_cols()) {
  assert(basis_.balance.size() == k());
  scales_.resize(n_panels() * panel_cols_);
  data_ = allocate_zeros<std::uint8_t>(n_panels() * panel_bytes());
}

void NibbleMatrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k() && first_col + b.rows <= n_);
  std::vector<float> values(k());
  std::vector<std::int8_t> q(8 * n_octets());
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

void NibbleMatrix::put_column(std::size_t col, std::span<const std::int8_t> q) {
  std::uint8_t* to = data_.get() + col / panel_cols_ * panel_bytes() + 4 * (col % panel_cols_);
  for (std::size_t i = 0; i < q.size(); i += 8, to += 4 * panel_cols_) {
    std::uint64_t octet = 0;
    std::memcpy(&octet, &q[i], sizeof octet);
    octet = (octet & 0x0F0F0F0F0F0F0F0F) ^ 0x0808080808080808;  // u = q + 8, byte by byte
    const auto nibbles = static_cast<std::uint32_t>(octet | octet >> 28U);
    std::memcpy(to, &nibbles, sizeof nibbles);
  }
}

OctetRows::OctetRows(std::size_t max_rows, std::size_t max_cols)
    : stride_((max_cols + 7) / 8),
      octets_(allocate_aligned<Octet>(max_rows * stride_)),
      scales_(max_rows),
      offsets_(max_rows),
      bases_(max_rows),
      balanced_(max_cols) {
  std::fill_n(octets_.get(), max_rows * stride_, Octet{});
}

void OctetRows::set(ConstMatrixView x, const NibbleBasis& basis) {
  assert(x.rows <= scales_.size() && x.cols == balanced_.size() && x.cols == basis.centre.size());
  n_rows_ = x.rows;
  for (std::size_t r = 0; r < x.rows; ++r) {
    std::ranges::transform(x.row(r), basis.balance, balanced_.begin(), std::divides{});
    const float factor = quantising_factor(balanced_, kMaxSigned);
    const std::int32_t sum = round_to_bytes(balanced_, factor, {octets_[r * stride_].q, x.cols});
    scales_[r] = scale_of_factor(factor);
    offsets_[r] = -kMiddle * scales_[r] * static_cast<float>(sum);
    bases_[r] = std::inner_product(x.row(r).begin(), x.row(r).end(), basis.centre.begin(), 0.0F);
  }
}

}  // namespace wnpu::models
