#include "models/bf16_matrix.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "models/gemm.h"
#include "models/quantise.h"

namespace wnpu::models {

Bf16Rows::Bf16Rows(std::size_t rows, std::size_t cols)
    : stride_((cols + 1) / 2), pairs_(allocate_zeros<Bf16Pair>(rows * stride_)) {}

void Bf16Rows::set_row(std::size_t r, std::span<const float> x) {
  assert(x.size() <= 2 * stride_);
  round_to_bf16(x, {&row(r)->even, x.size()});
}

Bf16Matrix::Bf16Matrix(std::size_t k, std::size_t n)
    : k_(k),
      n_(n),
      panel_cols_(gemm_panel_cols()),
      data_(allocate_zeros<Bf16Pair>(n_panels() * panel_pairs())) {}

void Bf16Matrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k_ && first_col + b.rows <= n_);
  Bf16Rows rounded(1, k_);
  for (std::size_t r = 0; r < b.rows; ++r) {
    rounded.set_row(0, b.row(r));
    const std::size_t col = first_col + r;
    Bf16Pair* to = data_.get() + col / panel_cols_ * panel_pairs() + col % panel_cols_;
    for (std::size_t k = 0; k < n_pairs(); ++k, to += panel_cols_) *to = rounded.row(0)[k];
  }
}

void Bf16Matrix::set_rows(std::size_t first_row, ConstMatrixView b) {
  assert(b.cols == n_ && first_row + b.rows <= k_ && first_row % 2 == 0);
  const std::vector<float> zeros(b.rows % 2 == 0 ? 0 : n_);
  for (std::size_t r = 0; r < b.rows; r += 2) {
    const std::span<const float> odd = r + 1 < b.rows ? b.row(r + 1) : std::span(zeros);
    for (std::size_t col = 0; col < n_; col += panel_cols_) {
      const std::size_t n = std::min(panel_cols_, n_ - col);
      Bf16Pair* const to =
          data_.get() + col / panel_cols_ * panel_pairs() + (first_row + r) / 2 * panel_cols_;
      pair_bf16(b.row(r).subspan(col, n), odd.subspan(col, n), {&to->even, 2 * n});
    }
  }
}

}  // namespace wnpu::models
