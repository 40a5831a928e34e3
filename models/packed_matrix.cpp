#include "models/packed_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/gemm.h"
#include "models/half_floats.h"

namespace wnpu::models {
namespace {

// to[k * step + r] = from[r][k]: written in order, a cache line at a time.
template <typename T>
void interleave(std::span<const T* const> from, std::size_t n, T* to, std::size_t step) {
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t r = 0; r < from.size(); ++r) to[r] = from[r][k];
    to += step;
  }
}

constexpr std::size_t kMaxPanelCols = 32;  // AVX-512

}  // namespace

PackedMatrix::PackedMatrix(std::size_t k, std::size_t n, Storage storage, SharedBlock* block)
    : k_(k), n_(n), storage_(storage), panel_cols_(gemm_panel_cols()) {
  data_ = allocate_in(block, size_bytes());
  if (block == nullptr && n_ % panel_cols_ != 0)
    std::memset(data_.get() + (n_panels() - 1) * panel_bytes(), 0, panel_bytes());
}

template <typename T>
T* PackedMatrix::element(std::size_t row, std::size_t col) {
  std::byte* const start = data_.get() + col / panel_cols_ * panel_bytes();
  return reinterpret_cast<T*>(start) + row * panel_cols_ + col % panel_cols_;
}

void PackedMatrix::set_columns(std::size_t first_col, ConstMatrixView b) {
  assert(b.cols == k_ && first_col + b.rows <= n_);
  std::size_t r = 0;
  while (r < b.rows) {
    const std::size_t col = first_col + r;
    const std::size_t count = std::min(panel_cols_ - col % panel_cols_, b.rows - r);
    set_panel_columns(col, b.row_range(r, count));
    r += count;
  }
}

void PackedMatrix::set_panel_columns(std::size_t first_col, ConstMatrixView b) {
  if (storage_ == Storage::fp32) {
    std::array<const float*, kMaxPanelCols> rows;
    for (std::size_t r = 0; r < b.rows; ++r) rows[r] = b.row(r).data();
    interleave<float>(std::span(rows).first(b.rows), k_, element<float>(0, first_col), panel_cols_);
    return;
  }
  std::vector<std::uint16_t> halves(b.rows * k_);
  std::array<const std::uint16_t*, kMaxPanelCols> rows;
  for (std::size_t r = 0; r < b.rows; ++r) {
    const auto row = std::span(halves).subspan(r * k_, k_);
    narrow_f16(b.row(r), row);
    rows[r] = row.data();
  }
  interleave<std::uint16_t>(std::span(rows).first(b.rows), k_, element<std::uint16_t>(0, first_col),
                            panel_cols_);
}

void PackedMatrix::set_rows(std::size_t first_row, ConstMatrixView b) {
  assert(b.cols == n_ && first_row + b.rows <= k_);
  for (std::size_t r = 0; r < b.rows; ++r) {
    for (std::size_t col = 0; col < n_; col += panel_cols_) {
      set_panel_row(first_row + r, col, b.row(r).subspan(col, std::min(panel_cols_, n_ - col)));
    }
  }
}

void PackedMatrix::set_panel_row(std::size_t row, std::size_t col, std::span<const float> values) {
  if (storage_ == Storage::fp32) {
    std::ranges::copy(values, element<float>(row, col));
  } else {
    narrow_f16(values, {element<std::uint16_t>(row, col), values.size()});
  }
}

}  // namespace wnpu::models
