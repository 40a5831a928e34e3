#include "models/kernels/operands/f32_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/kernels/vectors/half_floats.h"

namespace wnpu::kernels {
namespace {

// to[k * step + r] = from[r][k]: written in order, a cache line at a time.
template <typename T>
void interleave(std::span<const T* const> from, std::size_t n, T* to, std::size_t step) {
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t r = 0; r < from.size(); ++r) to[r] = from[r][k];
    to += step;
  }
}

}  // namespace

void F32Matrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k() && first_col + b.rows <= n());
  std::size_t r = 0;
  while (r < b.rows) {
    const std::size_t col = first_col + r;
    const std::size_t count =
        std::min({panel_cols() - col % panel_cols(), b.rows - r, kMostPanelCols});
    set_panel_columns(col, b.row_range(r, count));
    r += count;
  }
}

void F32Matrix::set_panel_columns(std::size_t first_col, ConstMatrixView b) {
  if (number() == DataType::f32) {
    std::array<const float*, kMostPanelCols> rows;
    for (std::size_t r = 0; r < b.rows; ++r) rows[r] = b.row(r).data();
    interleave<float>(std::span(rows).first(b.rows), k(), element<float>(0, first_col),
                      panel_cols());
    return;
  }
  std::vector<std::uint16_t> halves(b.rows * k());
  std::array<const std::uint16_t*, kMostPanelCols> rows;
  for (std::size_t r = 0; r < b.rows; ++r) {
    const auto row = std::span(halves).subspan(r * k(), k());
    narrow_f16(b.row(r), row);
    rows[r] = row.data();
  }
  interleave<std::uint16_t>(std::span(rows).first(b.rows), k(),
                            element<std::uint16_t>(0, first_col), panel_cols());
}

void F32Matrix::set_rows(std::size_t first_row, ConstMatrixView b) {
  assert(b.cols == n() && first_row + b.rows <= k());
  for (std::size_t r = 0; r < b.rows; ++r) {
    for (std::size_t col = 0; col < n(); col += panel_cols()) {
      set_panel_row(first_row + r, col, b.row(r).subspan(col, std::min(panel_cols(), n() - col)));
    }
  }
}

void F32Matrix::set_panel_row(std::size_t row, std::size_t col, std::span<const float> values) {
  if (number() == DataType::f32) {
    std::copy(values.begin(), values.end(), element<float>(row, col));
  } else {
    narrow_f16(values, {element<std::uint16_t>(row, col), values.size()});
  }
}

}  // namespace wnpu::kernels
