#include "models/kernels/operands/bf16_matrix.h"

#include <cstring>

#include "models/kernels/operands/quantise.h"

namespace wnpu::kernels {

Bf16Rows::Bf16Rows(std::size_t rows, std::size_t cols) : Rows(rows, cols) {
  std::fill_n(steps_.get(), rows * stride_, Bf16Pair());
  scales_.clear();
  n_rows_ = rows;
  n_steps_ = stride_;
}

void Bf16Rows::set_row(std::size_t r, std::span<const float> x) {
  assert(x.size() <= 2 * stride_);
  round_to_bf16(x, {numbers(r), x.size()});
}

void Bf16Matrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k() && first_col + b.rows <= n());
  Bf16Rows rounded(1, k());
  for (std::size_t r = 0; r < b.rows; ++r) {
    rounded.set_row(0, b.row(r));
    for (std::size_t step = 0; step < n_steps(); ++step)
      std::memcpy(at(step, first_col + r), rounded.row(0) + step, sizeof(Bf16Pair));
  }
}

}  // namespace wnpu::kernels
