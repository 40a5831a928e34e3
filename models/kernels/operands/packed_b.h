// The packed right operand B [k, n] of a matrix product. It is stored in panels of
// gemm_panel_cols() columns (two SIMD vectors). A panel is a list of steps along k: a step holds,
// for each of its columns, the 1 to 8 values along k that one instruction multiplies.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/aligned_memory.h"
#include "models/base/tensor.h"

namespace wnpu::kernels {

using models::ConstMatrixView;
using models::MatrixView;

// The number format of B, and that of the A that it is multiplied with:
//   f32, f16   A: fp32. f16 halves what a decoder step reads, and loses nothing where the values
//              came as fp16
//   bf16       both bf16
//   i16, i8    B: 16 bits (13 of them used) or 8; A: int16
//   u8         B: signed bytes; A: unsigned bytes
//   u4         B: nibbles from 0 to 15; A: signed bytes
enum class DataType { f32, f16, bf16, i16, i8, u8, u4 };
constexpr bool has_8_bits(DataType number) {
  return number == DataType::i8 || number == DataType::u8;
}

// Neighbours in k, and the bytes that they have in a column.
struct StepSize {
  std::size_t terms;
  std::size_t bytes;
};
constexpr StepSize step_of(DataType number) {
  switch (number) {
    case DataType::f32:
      return {1, 4};
    case DataType::f16:
      return {1, 2};
    case DataType::bf16:
    case DataType::i16:
      return {2, 4};
    case DataType::i8:
      return {2, 2};
    case DataType::u8:
      return {4, 4};
    case DataType::u4:
      return {8, 4};
  }
  return {};
}

// Two vectors of the machine: 16 columns with AVX2, 32 with AVX-512.
std::size_t gemm_panel_cols();
constexpr std::size_t kMostPanelCols = 32;

// A right side that was packed before, by this build and for the instruction set in use.
struct StoredSide {
  DataType number;
  std::size_t k;
  std::size_t n;
  std::span<const std::byte> panels;  // aligned for every vector
  std::vector<float> scales;
  std::vector<float> sums;
  float left_limit;
  bool is_copied = false;  // into memory of ours, in huge pages where it is big
};

// Made by the matrices of each number, which fill it: f32_matrix.h, i16_matrix.h, u8_matrix.h,
// u4_matrix.h, bf16_matrix.h.
class PackedB {
 public:
  PackedB() = default;  // none
  // A view of the panels, size_bytes() of them, or a copy.
  explicit PackedB(StoredSide stored);

  DataType number() const { return number_; }
  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  std::size_t n_steps() const { return n_steps_; }
  std::size_t panel_cols() const { return panel_cols_; }
  std::size_t n_panels() const {
    return panel_cols_ == 0 ? 0 : (n_ + panel_cols_ - 1) / panel_cols_;
  }
  // For OpenBLAS: its rows, one behind the other.
  bool is_one_panel() const { return is_one_panel_; }
  std::size_t panel_bytes() const { return n_steps_ * panel_cols_ * step_.bytes; }
  std::size_t size_bytes() const { return n_panels() * panel_bytes(); }
  const std::byte* panel(std::size_t i) const { return data_.get() + i * panel_bytes(); }
  // Bytes of such a side's panels where their layout is ours, not OpenBLAS'.
  static std::size_t bytes_of(DataType number, std::size_t k, std::size_t n);

  // Scales of the columns, or empty: an element is scale * q. Up to the end of the last panel.
  std::span<const float> scales() const { return scales_; }
  // Sums of q of the columns, where left rows have offsets.
  std::span<const float> sums() const { return sums_; }
  // i16, i8: the largest |q| of the left side with which no sum of a product leaves int32.
  float left_limit() const { return left_limit_; }

 protected:
  // Not set yet, but for the columns beyond n, which are 0. In a part of the block, where there is
  // one.
  PackedB(DataType number, std::size_t k, std::size_t n, models::SharedBlock* block = nullptr);

  std::byte* at(std::size_t step, std::size_t col) {
    return data_.get() + col / panel_cols_ * panel_bytes() +
           (step * panel_cols_ + col % panel_cols_) * step_.bytes;
  }
  // Room for values of the columns.
  std::vector<float> of_columns() const { return std::vector<float>(n_panels() * panel_cols_); }

  std::vector<float> scales_;
  std::vector<float> sums_;
  float left_limit_ = 0;

 private:
  PackedB(DataType number, std::size_t k, std::size_t n, bool is_one_panel);

  DataType number_ = DataType::f32;
  StepSize step_ = step_of(DataType::f32);
  std::size_t k_ = 0;
  std::size_t n_ = 0;
  std::size_t n_steps_ = 0;
  bool is_one_panel_ = false;
  std::size_t panel_cols_ = 0;
  models::AlignedArray<std::byte> data_;
};

}  // namespace wnpu::kernels
