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

}  // namespace wnpu::models
